// What stands before the host in a URL: a password after a user name, or a bare token.
import { closesQuote, isQuote, isSpace, MASK, noValueUntil, tableOf } from './redact-reading.js';

const URL_STOPS = tableOf('/<>\\`');
const AT = 0x40;
const COLON = 0x3a;

/** The last `@` of the authority, so that a password with an `@` in it is masked whole. */
export const urlPassword = (text: string, at: number): number => {
  if (text[at] === '[' || text[at] === '$') return noValueUntil(at);
  let lastAt = -1;
  let i = at;
  for (; i < text.length && !endsUserinfo(text, i); i += 1) if (text.charCodeAt(i) === AT) lastAt = i;
  return lastAt > at ? lastAt : noValueUntil(at);
};

const URL_TOKEN_STOPS = tableOf('?#["\'');

export const urlToken = (text: string, at: number): number => {
  if (text[at] === '[' || text[at] === '$') return noValueUntil(at);
  let i = at;
  for (; i < text.length && !endsUserinfo(text, i); i += 1) {
    const code = text.charCodeAt(i);
    if (code === AT) return i > at ? i : noValueUntil(at);
    if (code === COLON || (code < 128 && URL_TOKEN_STOPS[code] === 1)) break;
  }
  return noValueUntil(at);
};

const endsUserinfo = (text: string, i: number): boolean => {
  const code = text.charCodeAt(i);
  return (code < 128 && URL_STOPS[code] === 1) || isSpace(code) || (isQuote(code) && closesQuote(text, i)) || text.startsWith(MASK, i);
};
