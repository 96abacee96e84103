// The laws of the redactor (SPEC-0030 REQ-6).
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findings, MASK, redact } from '../../src/core/untrusted/redact.js';
import { diceOf } from '../untrusted/dice.js';
import { hostileText } from '../untrusted/hostile.js';
import { SECRET_SHAPES } from '../untrusted/secrets.js';
import { SURROUNDINGS } from '../untrusted/surroundings.js';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 200 }), hostileText);
const planted = fc
  .record({ shape: fc.constantFrom(...SECRET_SHAPES), seed: fc.integer(), surrounding: fc.constantFrom(...SURROUNDINGS) })
  .map(({ shape, seed, surrounding }) => {
    const { text, secret, label } = shape.make(diceOf(seed));
    return { shape, secret, label, text: surrounding.around(text) };
  });

describe('redact', () => {
  test('masking twice is masking once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(redact(redact(text))).toBe(redact(text));
      }),
    );
  });

  test('a planted secret never survives and its label stays', () => {
    fc.assert(
      fc.property(planted, ({ text, secret, label }) => {
        expect(redact(text)).not.toContain(secret);
        expect(redact(text)).toContain(label);
        expect(redact(text)).toContain(MASK);
      }),
    );
  });

  test('a planted secret never survives between any two texts that are set apart from it', () => {
    fc.assert(
      fc.property(planted, anyText, anyText, ({ text, secret }, before, after) => {
        expect(redact(`${before}\n${text}\n${after}`)).not.toContain(secret);
      }),
    );
  });

  test('a planted secret that was redacted stays redacted', () => {
    fc.assert(
      fc.property(planted, ({ text }) => {
        expect(redact(redact(text))).toBe(redact(text));
      }),
    );
  });

  test('only what is found is replaced, and each find by one mask', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = findings(text);
        const kept = found.map((finding, i) => text.slice(found[i - 1]?.end ?? 0, finding.start));
        expect(redact(text)).toBe([...kept, text.slice(found.at(-1)?.end ?? 0)].join(MASK));
      }),
    );
  });

  test('finds are in order, apart and not empty', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let from = 0;
        for (const { start, end } of findings(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  test('masking lengthens a text by at most one mask a find', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(redact(text).length).toBeLessThanOrEqual(text.length + MASK.length * findings(text).length);
      }),
    );
  });

  test('text without a needle comes back as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'acdfgilmnoqu 0123456789.,()\n') }), (text) => {
        expect(redact(text)).toBe(text);
      }),
    );
  });
});
