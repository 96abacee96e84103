// Secrets that a terminal would show whole although control characters stand in or beside them, in every way text is kept.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactKeepingLines, redactOneLine } from '../../src/core/untrusted/clean.js';
import { redactShown } from '../../src/core/untrusted/redact-controls.js';
import { redactJson } from '../../src/core/untrusted/redact-json.js';
import { LINE_START, redactLine } from '../../src/core/untrusted/redact-lines.js';

const ESC = '\u001b';
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  line: (text) => redactLine(LINE_START, text).line,
  json: (text) => String(redactJson(text)),
  'one line': redactOneLine,
  lines: redactKeepingLines,
};
const BODY = 'abcdefghijklmnopqrstuvwxyz0123456789';
const SAID: readonly (readonly [string, string])[] = [
  [`${ESC}[01;31m${ESC}[Ktoken${ESC}[m${ESC}[K=hunter2abcdef`, 'hunter2abcdef'],
  [`ghp_${ESC}[31m${BODY}${ESC}[0m`, BODY],
  [`token=${ESC}[31mhunter2abcdef${ESC}[m`, 'hunter2abcdef'],
  ['https://user:pass\u0000word@host/', 'word@'],
  [`done ${ESC}[31mpassword${ESC}[0m: hunter2abcdef`, 'hunter2abcdef'],
  [`password=hun\u0000ter2abcdef`, 'ter2abcdef'],
  [`${ESC}]8;;http://a.example\u0007secret${ESC}]8;;\u0007=hunter2abcdef`, 'hunter2abcdef'],
];

describe.each(Object.entries(WAYS))('as %s', (_way, redacted) => {
  test.each(SAID)('%j hides its secret', (text, secret) => {
    expect(redacted(text)).not.toContain(secret);
    expect(redacted(text)).toContain('[REDACTED]');
  });
});

test('text without a secret is left as it is, whatever steers a terminal in it', () => {
  const piece = fc.constantFrom('plain', ' ', `${ESC}[31m`, `${ESC}]0;t\u0007`, '\u0000', '\u009b1m', `${ESC}(B`, '\n');
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      (text) => {
        expect(redactShown(text)).toBe(text);
      },
    ),
  );
});
