// The laws of redacting a stream line by line (SPEC-0030 REQ-6).
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, redact } from '../../src/core/untrusted/redact.js';
import { LINE_START, redactLine } from '../../src/core/untrusted/redact-lines.js';
import { ALNUM, diceOf } from '../untrusted/dice.js';
import { hostileText } from '../untrusted/hostile.js';
import { SECRET_SHAPES } from '../untrusted/secrets.js';

const throughLines = (lines: readonly string[]): readonly string[] => {
  let state = LINE_START;
  return lines.map((line) => {
    const step = redactLine(state, line);
    state = step.state;
    return step.line;
  });
};

const aLine = hostileText.map((text) => text.replace(/\n/g, ' '));
const bodies = fc.integer().map((seed) => {
  const dice = diceOf(seed);
  return Array.from({ length: dice.between(1, 8) }, () => dice.text(`${ALNUM}+/`, 64));
});
const kind = fc.constantFrom('RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK');
const frame = fc.constantFrom('', '  ', '│ ', '\t', '┃  ');

describe('redactLine', () => {
  test('masks every line of a private key, framed or not, and nothing after it', () => {
    fc.assert(
      fc.property(bodies, kind, frame, (lines, name, before) => {
        const framed = [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, 'plain text'].map((line) => before + line);
        const redacted = throughLines(framed);
        for (const line of lines) expect(redacted.join('\n')).not.toContain(line);
        expect(redacted.at(-1)).toBe(`${before}plain text`);
      }),
    );
  });

  test('closes a clipped key at the first line that is no body', () => {
    fc.assert(
      fc.property(bodies, kind, (lines, name) => {
        const redacted = throughLines([`-----BEGIN ${name}-----`, 'Proc-Type: 4,ENCRYPTED', '', ...lines, 'and so on.', ...lines]);
        expect(redacted).toEqual([MASK, MASK, '', ...lines.map(() => MASK), 'and so on.', ...lines]);
      }),
    );
  });

  test('outside a key a line is redacted as any text', () => {
    fc.assert(
      fc.property(aLine, (line) => {
        expect(redactLine(LINE_START, line).line).toBe(redact(line));
      }),
    );
  });

  test('a key that ends on its line leaves nothing open', () => {
    const line = '"-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----" tail';
    expect(redactLine(LINE_START, line)).toEqual({ state: LINE_START, line: `"${MASK}" tail` });
  });

  test('a key may open on the line that closes another', () => {
    const opened = redactLine({ inPem: true }, '-----END PRIVATE KEY----- -----BEGIN PRIVATE KEY-----');
    expect(opened).toEqual({ state: { inPem: true }, line: `${MASK} ${MASK}` });
  });

  test('no line that came out is changed by going through again', () => {
    fc.assert(
      fc.property(fc.array(aLine, { maxLength: 8 }), (lines) => {
        expect(throughLines(throughLines(lines))).toEqual(throughLines(lines));
      }),
    );
  });

  test('a secret of any class but a key survives no line', () => {
    const oneLine = SECRET_SHAPES.filter((shape) => shape.class !== 7 && shape.class !== 10);
    fc.assert(
      fc.property(fc.constantFrom(...oneLine), fc.integer(), fc.boolean(), (shape, seed, inPem) => {
        const { text, secret } = shape.make(diceOf(seed));
        expect(redactLine({ inPem }, text).line).not.toContain(secret);
      }),
    );
  });
});
