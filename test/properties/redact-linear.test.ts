// A line may be 16 MiB long and hostile: the redactor's work grows with its length and no faster (SPEC-0030 REQ-6).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findings, MASK, redact } from '../../src/core/untrusted/redact.js';
import { RULES } from '../../src/core/untrusted/redact-rules.js';
import { PIECES } from '../untrusted/hostile.js';
import { filledWith, HOSTILE_UNITS } from '../untrusted/hostile-lines.js';

const MIB = 1 << 20;
/** Several rules may read one character, and dotted tokens read it up to three times. */
const READS_PER_CHARACTER = 8;
const LINE = 20_000;

const workOf = (text: string): number => {
  const work = { tried: 0, read: 0 };
  findings(text, work);
  return work.tried + work.read;
};

/** The pattern without its character classes and escapes, so that only its own quantifiers are left. */
const skeleton = (pattern: RegExp): string => pattern.source.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'x');

const patterns = RULES.flatMap((rule) => (rule.head === undefined ? [] : [[rule.name, rule.head] as const]));

describe('the redactor is linear', () => {
  test.each(patterns)('no pattern of %s repeats without a bound', (_name, pattern) => {
    expect(skeleton(pattern)).not.toMatch(/[*+]|\{\d+,\}/);
  });

  test('no pattern beside the table repeats without a bound either', () => {
    const folder = fileURLToPath(new URL('../../src/core/untrusted/', import.meta.url));
    const sources = readdirSync(folder).filter((name) => name.startsWith('redact'));
    const literals = sources.flatMap(
      (name) =>
        readFileSync(folder + name, 'utf8').match(
          /\/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[ *])(?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[])*\/[giy]{1,3}\b/g,
        ) ?? [],
    );
    expect(literals.length).toBeGreaterThan(8);
    for (const literal of literals)
      expect(skeleton(new RegExp(literal.replace(/^\/|\/[a-z]*$/g, ''))), literal).not.toMatch(/[*+]|\{\d+,\}/);
  });

  test.each(HOSTILE_UNITS)('reads a line of %j a bounded number of times', (unit) => {
    expect(workOf(filledWith(unit, LINE))).toBeLessThanOrEqual(READS_PER_CHARACTER * LINE);
  });

  test('reads no line of any two to six pieces more often than that', () => {
    const units = fc.array(fc.constantFrom(...PIECES, 'x', 'yy', '0'), { minLength: 2, maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(units, (unit) => {
        expect(workOf(filledWith(unit, LINE))).toBeLessThanOrEqual(READS_PER_CHARACTER * LINE);
      }),
    );
  });

  test('twice the line is twice the work', () => {
    fc.assert(
      fc.property(fc.constantFrom(...HOSTILE_UNITS), fc.integer({ min: 2_000, max: LINE }), (unit, length) => {
        expect(workOf(filledWith(unit, 2 * length))).toBeLessThanOrEqual(
          2 * workOf(filledWith(unit, length)) + READS_PER_CHARACTER * unit.length,
        );
      }),
    );
  });

  test.each(HOSTILE_UNITS)('a long line of %j is answered, and stays as it is when it comes again', (unit) => {
    const redacted = redact(filledWith(unit, MIB / 4));
    expect(redact(redacted) === redacted).toBe(true);
  });

  test.each(['a', 'token=', 'eyJ.', 'curl -u a:'])('a line of 16 MiB of %j is answered', (unit) => {
    expect(redact(filledWith(unit, 16 * MIB)).length).toBeGreaterThanOrEqual(MASK.length);
  });
});
