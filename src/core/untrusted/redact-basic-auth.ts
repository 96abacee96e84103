// Passwords that curl and wget are given as `-u user:password`, looked for in the command's own shell segment only,
// since `docker run -u 1000:1000` is no secret (SPEC-0030 REQ-6). Runs last: where a segment ends must not depend on
// whether the other secrets in it have been masked yet.
import { closesQuote, isQuote, isSpace, patternEnd, type ScanWork, startsWord } from './redact-reading.js';
import type { Finding } from './redact-scan.js';

const COMMAND = /(?:curl|wget)(?![A-Za-z0-9_])/g;

/** The passwords of all commands. `known` are the other findings, in order and apart; nothing inside them is looked at. */
export const basicAuthFindings = (text: string, known: readonly Finding[], work: ScanWork): readonly Finding[] => {
  if (!text.includes('curl') && !text.includes('wget')) return [];
  const found: Finding[] = [];
  let next = 0;
  COMMAND.lastIndex = 0;
  for (let hit = COMMAND.exec(text); hit !== null; hit = COMMAND.exec(text)) {
    if (!startsWord(text, hit.index)) continue;
    work.tried += 1;
    while (next < known.length && (known[next]?.start ?? 0) < hit.index) next += 1;
    const until = readSegment(text, hit.index, known, next, found);
    work.read += until - hit.index;
    COMMAND.lastIndex = Math.max(until, hit.index + 1);
  }
  return found;
};

const LF = 0x0a;
const DASH = 0x2d;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Reads to the end of the command's segment, which it returns: a line end, a pipe or a separator outside quotes. */
const readSegment = (text: string, command: number, known: readonly Finding[], from: number, found: Finding[]): number => {
  let quote = 0;
  let next = from;
  let i = command;
  for (; i < text.length; i += 1) {
    const skipped = known[next];
    if (skipped !== undefined && skipped.start <= i) {
      next += 1;
      i = Math.max(i, skipped.end) - 1;
      continue;
    }
    if (endsSegment(text, i, quote !== 0)) break;
    const code = text.charCodeAt(i);
    const password = code === DASH ? passwordAt(text, i) : undefined;
    if (password !== undefined) {
      found.push(password);
      i = isQuote(text.charCodeAt(password.end)) ? password.end : password.end - 1;
    } else if (code === quote) quote = 0;
    else if (quote === 0 && isQuote(code)) quote = code;
  }
  return i;
};

const SEPARATOR = /[|;]|&[&\s]|\\n/y;

const endsSegment = (text: string, i: number, quoted: boolean): boolean => {
  const code = text.charCodeAt(i);
  if (code === LF) return text.charCodeAt(i - 1) !== BACKSLASH;
  return !quoted && '|;&\\'.includes(text.charAt(i)) && patternEnd(SEPARATOR, text, i) !== undefined;
};

const FLAG = /(?<=[\s"'])(?:-[A-Za-z]{0,6}u|--(?:proxy-)?user)(?:["'],[ \t]{0,4}(?=["'])|[ \t=]{0,8})/y;

const passwordAt = (text: string, dash: number): Finding | undefined => {
  const at = patternEnd(FLAG, text, dash);
  if (at === undefined) return undefined;
  const quote = isQuote(text.charCodeAt(at)) ? text.charAt(at) : '';
  const start = afterUser(text, at + quote.length);
  const first = text[start];
  if (first === '$' || first === '[') return undefined;
  let end = start;
  while (end < text.length && !endsPassword(text, end, quote)) end += 1;
  return end > start ? { class: 10, start, end } : undefined;
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
