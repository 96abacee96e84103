// The small questions every reader of the redactor asks of a text at a position.

/** What stands in place of a secret. No value may begin with its first character, which is why masking twice changes nothing. */
export const MASK = '[REDACTED]';

/** "No value here, and none of this shape before `until`": a negative number, so that it cannot be taken for an end. */
export const noValueUntil = (until: number): number => -until - 1;

/** How much was done for one text: rules tried and characters their values were read over. */
export interface ScanWork {
  tried: number;
  read: number;
}

export type CharacterTable = Uint8Array;

/** A set of ASCII characters. */
export const tableOf = (characters: string): CharacterTable => {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
};

export const isIn = (table: CharacterTable, code: number): boolean => code < 128 && table[code] === 1;

export const DIGITS = '0123456789';
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const ALNUM = DIGITS + UPPER + UPPER.toLowerCase();

const ALNUM_TABLE = tableOf(ALNUM);

export const isAlnum = (code: number): boolean => isIn(ALNUM_TABLE, code);

/** White space of any script; control characters count. */
export const isSpace = (code: number): boolean => code <= 0x20 || (code >= 0x85 && isWideSpace(code));

const isWideSpace = (code: number): boolean => {
  if (code >= 0x2000 && code <= 0x200a) return true;
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
};

/** `"`, `'` or a backtick. */
export const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60;

const AFTER_A_QUOTE = tableOf(',;:)}]>&\\|"\'`');

/** Whether the quote at `i` looks like the end of a quoted text rather than a character of a word. */
export const closesQuote = (text: string, i: number): boolean => {
  const next = text.charCodeAt(i + 1);
  return Number.isNaN(next) || isSpace(next) || isIn(AFTER_A_QUOTE, next);
};

/** Where a sticky pattern's match at `at` ends. */
export const patternEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** The position of the next LF, or the text's end. */
export const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

const ESCAPE_BEFORE = /(?<=\\[abefnrtv0]|%[0-9a-f]{2}|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\[[0-9;]{0,12}m)/iy;

/** Whether a word may start at `i`: no letter or digit stands before it, unless that one ends an escape (`\n`, `%3D`, a colour). */
export const startsWord = (text: string, i: number): boolean =>
  i === 0 || !isAlnum(text.charCodeAt(i - 1)) || patternEnd(ESCAPE_BEFORE, text, i) !== undefined;

/** Names may hold a mask, so that what is inside stays inside once a token in the name is masked. */
const EXPANSION_NAME = tableOf(`${ALNUM}_.-[]`);
const LONGEST_EXPANSION_NAME = 64;

/** Whether the name at `i` stands in `${…}`. */
export const inExpansion = (text: string, i: number): boolean => {
  let start = i;
  while (i - start < LONGEST_EXPANSION_NAME && isIn(EXPANSION_NAME, text.charCodeAt(start - 1))) start -= 1;
  return text.startsWith('${', start - 2) && start >= 2;
};
