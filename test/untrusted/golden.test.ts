// Directories of bytes: `input.txt` redacted is `expected.txt`. Secrets are filled in when the test runs, so that none is
// stored: `{{ghp_|alnum 36}}` is a prefix and a number of characters. BLESS=1 writes the expectation.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { redact } from '../../src/core/untrusted/redact.js';
import { ALNUM, DIGITS, diceOf, HEX, UPPER } from './dice.js';

const GOLDEN = fileURLToPath(new URL('../golden/redact/', import.meta.url));
const ALPHABETS: Readonly<Record<string, string>> = { alnum: ALNUM, digits: '123456789', hex: HEX, upper: UPPER + DIGITS };

const filled = (text: string): string => {
  const dice = diceOf(20_260_101);
  return text.replace(/\{\{([^|{}]*)\|(\w+) (\d+)\}\}/g, (_, prefix: string, alphabet: string, length: string) => {
    return prefix + dice.text(ALPHABETS[alphabet] ?? '', Number(length));
  });
};

describe('golden texts', () => {
  test.each(readdirSync(GOLDEN))('%s', (name) => {
    const input = filled(readFileSync(`${GOLDEN}${name}/input.txt`, 'utf8'));
    if (process.env['BLESS'] === '1') writeFileSync(`${GOLDEN}${name}/expected.txt`, redact(input));
    const expected = readFileSync(`${GOLDEN}${name}/expected.txt`, 'utf8');
    expect(redact(input)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  test('what must stay unchanged stays unchanged', () => {
    const text = readFileSync(`${GOLDEN}unchanged/input.txt`, 'utf8');
    expect(redact(text)).toBe(text);
  });
});
