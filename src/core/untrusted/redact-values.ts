// Where a secret's value ends, shape by shape. Each reader walks forward once and looks back by a constant at most,
// so reading costs no more than the text it covers; what it could not read it names, and nobody reads that twice.
import { freeValue } from './redact-free-text.js';
import { isAlnum, isIn, lineEnd, noValueUntil, patternEnd, tableOf } from './redact-reading.js';
import type { Alphabet, ValueShape } from './redact-rules.js';
import { urlPassword, urlToken } from './redact-userinfo.js';

/** The exclusive end of the value that starts at `at`, or `noValueUntil(…)`. */
export const valueEnd = (shape: ValueShape, text: string, at: number): number => {
  switch (shape.kind) {
    case 'run':
      return runValue(shape, text, at);
    case 'dotted':
      return dottedValue(shape, text, at);
    case 'pattern':
      return patternEnd(shape.pattern, text, at) ?? noValueUntil(at);
    case 'free':
      return freeValue(shape, text, at);
    case 'rest-of-line':
      return restOfLine(text, at);
    case 'url-password':
      return urlPassword(text, at);
    case 'url-token':
      return urlToken(text, at);
    case 'pem':
      return pemEnd(text, at);
    case 'basic-auth':
      return noValueUntil(at);
  }
};

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALNUM = DIGITS + UPPER + UPPER.toLowerCase();
const ALPHABETS: Readonly<Record<Alphabet, Uint8Array>> = {
  alnum: tableOf(ALNUM),
  upper: tableOf(DIGITS + UPPER),
  hex: tableOf(`${DIGITS}abcdefABCDEF`),
  word: tableOf(`${ALNUM}_`),
  url: tableOf(`${ALNUM}_-`),
  token68: tableOf(`${ALNUM}._~+/=-`),
};

const runEnd = (of: Alphabet, text: string, at: number, limit = text.length): number => {
  const table = ALPHABETS[of];
  let i = at;
  for (; i < limit; i += 1) {
    if (!isIn(table, text.charCodeAt(i))) break;
  }
  return i;
};

const runValue = (shape: ValueShape & { kind: 'run' }, text: string, at: number): number => {
  const limit = shape.max === undefined ? text.length : Math.min(text.length, at + shape.max + 1);
  const end = runEnd(shape.of, text, at, limit);
  const length = end - at;
  const fits = length >= shape.min && (shape.max === undefined || length <= shape.max) && !isAlnum(text.charCodeAt(end));
  return fits ? end : noValueUntil(at);
};

/** A token of three to five parts. Where the first part leads nowhere, no start inside it does better. */
const dottedValue = (shape: ValueShape & { kind: 'dotted' }, text: string, at: number): number => {
  const first = runEnd('url', text, at);
  const second = partEnd(text, first, shape.min);
  const third = second === undefined ? undefined : partEnd(text, second, shape.min);
  if (first - at < shape.first || third === undefined) return noValueUntil(first);
  const fourth = partEnd(text, third, 1) ?? third;
  return partEnd(text, fourth, 1) ?? fourth;
};

const DOT = 0x2e;

const partEnd = (text: string, dot: number, min: number): number | undefined => {
  if (text.charCodeAt(dot) !== DOT) return undefined;
  const end = runEnd('url', text, dot + 1);
  return end - dot - 1 >= min ? end : undefined;
};

const restOfLine = (text: string, at: number): number => {
  const first = text[at];
  return first === undefined || first === '[' || first === '$' || first === '\n' ? noValueUntil(at) : lineEnd(text, at);
};

const PEM_END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}/g;

/** A private key reaches to its end marker, or to the end of the text when it was clipped. */
const pemEnd = (text: string, at: number): number => {
  PEM_END.lastIndex = at;
  return PEM_END.test(text) ? PEM_END.lastIndex : text.length;
};
