// What stands before the host in a URL: a password after a user name, or a bare token.
import { closesQuote, isIn, isQuote, isSpace, MASK, noValueUntil, type ScanWork, tableOf } from './redact-reading.js';

const URL_STOPS = tableOf('/<>\\`');
const AT = 0x40;
const OPEN_BRACKET = 0x5b;

/** The last `@` of the authority, so that a password with an `@` in it is masked whole. */
export const urlPassword = (text: string, at: number, work: ScanWork): number => {
  if (text[at] === '[' || text[at] === '$') return noValueUntil(at);
  let lastAt = -1;
  let i = at;
  for (; i < text.length && !endsUserinfo(text, i); i += 1) if (text.charCodeAt(i) === AT) lastAt = i;
  work.read += i - at;
  return lastAt > at ? lastAt : noValueUntil(at);
};

const TOKEN_STOPS = tableOf('@:?#["\'');

export const urlToken = (text: string, at: number, work: ScanWork): number => {
  if (text[at] === '[' || text[at] === '$') return noValueUntil(at);
  let i = at;
  for (; i < text.length && !endsUserinfo(text, i); i += 1) {
    if (isIn(TOKEN_STOPS, text.charCodeAt(i))) break;
  }
  work.read += i - at;
  return text.charCodeAt(i) === AT && i > at ? i : noValueUntil(at);
};

const endsUserinfo = (text: string, i: number): boolean => {
  const code = text.charCodeAt(i);
  if (isIn(URL_STOPS, code) || isSpace(code)) return true;
  return isQuote(code) ? closesQuote(text, i) : code === OPEN_BRACKET && text.startsWith(MASK, i);
};
