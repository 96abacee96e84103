// A line may be 16 MiB long and hostile: the redactor's work grows with its length and no faster (SPEC-0030 REQ-6).
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, redact } from '../../src/core/untrusted/redact.js';
import { RULES } from '../../src/core/untrusted/redact-rules.js';
import { scan } from '../../src/core/untrusted/redact-scan.js';
import { PIECES } from '../untrusted/hostile.js';

const MIB = 1 << 20;
/** Several rules may read one character, and dotted tokens read it up to three times. */
const READS_PER_CHARACTER = 12;

const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const workOf = (text: string): number => {
  const work = { tried: 0, read: 0 };
  scan(text, work);
  return work.tried + work.read;
};

/** The pattern without its character classes and escapes, so that only its own quantifiers are left. */
const skeleton = (pattern: RegExp): string => pattern.source.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'x');

const patterns = RULES.flatMap((rule) =>
  [rule.head, rule.unless].flatMap((pattern) => (pattern === undefined ? [] : [[rule.name, pattern] as const])),
);

describe('the redactor is linear', () => {
  test.each(patterns)('no pattern of %s repeats without a bound', (_name, pattern) => {
    expect(skeleton(pattern)).not.toMatch(/[*+]|\{\d+,\}/);
  });

  test('reads no character more often than there are rules to read it', () => {
    const unit = fc.array(fc.constantFrom(...PIECES, 'x', 'yy', '0'), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 20_000 }), (piece, length) => {
        expect(workOf(repeated(piece, length))).toBeLessThanOrEqual(READS_PER_CHARACTER * length);
      }),
    );
  });

  test('twice the line is at most twice the work', () => {
    const unit = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(unit, (piece) => {
        const [short, long] = [workOf(repeated(piece, 20_000)), workOf(repeated(piece, 40_000))];
        expect(long).toBeLessThanOrEqual(2 * short + 20_000);
      }),
    );
  });

  test.each(['a', ' ', '"', 'token=', '://', 'eyJ.', '-----BEGIN '])('a line of 16 MiB of %j is answered', (unit) => {
    expect(redact(repeated(unit, 16 * MIB)).length).toBeGreaterThanOrEqual(MASK.length);
  });
});
