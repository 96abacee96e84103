// Where a secret's value ends, shape by shape. Each reader walks forward once and looks back by a constant at most,
// so reading costs no more than the text it covers; what it could not read it names, and nobody reads that twice.
import { freeValue } from './redact-free-text.js';
import { ALNUM, DIGITS, isIn, lineEnd, noValueUntil, type ScanWork, tableOf, UPPER } from './redact-reading.js';
import type { Alphabet, ValueShape } from './redact-rules.js';
import { urlPassword, urlToken } from './redact-userinfo.js';

/** The exclusive end of the value that starts at `at`, or `noValueUntil(…)`. */
export const valueEnd = (shape: ValueShape, text: string, at: number, work: ScanWork): number => {
  switch (shape.kind) {
    case 'run':
      return runValue(shape, text, at, work);
    case 'dotted':
      return dottedValue(shape, text, at, work);
    case 'free':
      return freeValue(shape, text, at, work);
    case 'rest-of-line':
      return restOfLine(text, at);
    case 'url-password':
      return urlPassword(text, at, work);
    case 'url-token':
      return urlToken(text, at, work);
    case 'pem':
      return pemEnd(text, at);
  }
};

const ALPHABETS: Readonly<Record<Alphabet, Uint8Array>> = {
  alnum: tableOf(ALNUM),
  upper: tableOf(DIGITS + UPPER),
  hex: tableOf(`${DIGITS}abcdefABCDEF`),
  word: tableOf(`${ALNUM}_`),
  url: tableOf(`${ALNUM}_-`),
  path: tableOf(`${ALNUM}_/`),
  token68: tableOf(`${ALNUM}._~+/=-`),
};

const runEnd = (of: Alphabet, text: string, at: number, work: ScanWork): number => {
  const table = ALPHABETS[of];
  let i = at;
  while (i < text.length && isIn(table, text.charCodeAt(i))) i += 1;
  work.read += i - at;
  return i;
};

/** Whatever follows cannot save a token: glued letters are masked with it, so that no mask ends inside a word. */
const runValue = (shape: ValueShape & { kind: 'run' }, text: string, at: number, work: ScanWork): number => {
  const end = runEnd(shape.of, text, at, work);
  return end - at >= shape.min ? runEnd('alnum', text, end, work) : noValueUntil(at);
};

/** Where the first part leads nowhere, no start inside it does better. Parts beyond the required ones are taken along. */
const dottedValue = (shape: ValueShape & { kind: 'dotted' }, text: string, at: number, work: ScanWork): number => {
  const first = runEnd('url', text, at, work);
  let end = first;
  for (let part = 0; part < shape.parts; part += 1) {
    const next = partEnd(text, end, shape.min, work);
    if (next === undefined || first - at < shape.first) return noValueUntil(first);
    end = next;
  }
  return partEnd(text, end, shape.min, work) ?? end;
};

const DOT = 0x2e;

const partEnd = (text: string, dot: number, min: number, work: ScanWork): number | undefined => {
  if (text.charCodeAt(dot) !== DOT) return undefined;
  const end = runEnd('url', text, dot + 1, work);
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
