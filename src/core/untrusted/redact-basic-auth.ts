// Passwords that curl and wget are given as `-u user:password`, looked for in the command's own shell segment only,
// since `docker run -u 1000:1000` is no secret.
import { closesQuote, isQuote, isSpace, patternEnd } from './redact-reading.js';

export interface BasicAuth {
  /** Start and exclusive end of each password. */
  readonly passwords: readonly (readonly [number, number])[];
  /** Where the segment ends. */
  readonly until: number;
}

const LF = 0x0a;
const DASH = 0x2d;
const BACKSLASH = 0x5c;

/** Reads from the command's name to the end of its segment: a line end, a pipe or a separator outside quotes. */
export const basicAuth = (text: string, command: number): BasicAuth => {
  const passwords: [number, number][] = [];
  let quote = 0;
  let i = command;
  for (; i < text.length && !endsSegment(text, i, quote !== 0); i += 1) {
    const code = text.charCodeAt(i);
    const password = code === DASH ? passwordAt(text, i) : undefined;
    if (password !== undefined) {
      passwords.push(password);
      i = isQuote(text.charCodeAt(password[1])) ? password[1] : password[1] - 1;
    } else if (code === quote) quote = 0;
    else if (quote === 0 && isQuote(code)) quote = code;
  }
  return { passwords, until: i };
};

const SEPARATOR = /[|;]|&[&\s]|\\n/y;

const endsSegment = (text: string, i: number, quoted: boolean): boolean => {
  const code = text.charCodeAt(i);
  if (code === LF) return text.charCodeAt(i - 1) !== BACKSLASH;
  return !quoted && '|;&\\'.includes(text.charAt(i)) && patternEnd(SEPARATOR, text, i) !== undefined;
};

const FLAG = /(?<=[\s"'])(?:-[A-Za-z]{0,6}u|--(?:proxy-)?user)(?:["'],[ \t]{0,4}(?=["'])|[ \t=]{0,8})/y;
const COLON = 0x3a;

const passwordAt = (text: string, dash: number): [number, number] | undefined => {
  const at = patternEnd(FLAG, text, dash);
  if (at === undefined) return undefined;
  const quote = isQuote(text.charCodeAt(at)) ? text.charAt(at) : '';
  const start = afterUser(text, at + quote.length);
  const first = text[start];
  if (first === '$' || first === '[') return undefined;
  let end = start;
  while (end < text.length && !endsPassword(text, end, quote)) end += 1;
  return end > start ? [start, end] : undefined;
};

/** Past the colon, or where the text ends when there is none. */
const afterUser = (text: string, at: number): number => {
  for (let i = at; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === COLON) return i + 1;
    if (isSpace(code) || isQuote(code)) break;
  }
  return text.length;
};

const endsPassword = (text: string, i: number, quote: string): boolean => {
  const code = text.charCodeAt(i);
  if (quote !== '') return text.charAt(i) === quote || code === LF;
  return isSpace(code) || (isQuote(code) && closesQuote(text, i)) || (code === BACKSLASH && text.charAt(i + 1) === 'n');
};
