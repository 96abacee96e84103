// A value of no fixed alphabet: what is assigned to a secret's name, follows a secret flag, or fills a header.
// Quoted text ends at its quote or line, bare text at white space or where the next member plainly starts.
import { closesQuote, isIn, isQuote, isSpace, MASK, noValueUntil, patternEnd, type ScanWork, tableOf } from './redact-reading.js';
import type { ValueShape } from './redact-rules.js';

export type FreeText = ValueShape & { readonly kind: 'free' };

/** The exclusive end of a quoted or bare value at `at`. Quotes belong to the value. */
export const freeValue = (shape: FreeText, text: string, at: number, work: ScanWork): number => {
  const quote = openingQuote(text, at);
  const first = text[quote?.inner ?? at];
  if (first === undefined || first === '[' || first === '$') return noValueUntil(at);
  if (quote !== undefined) return quotedValue(shape, text, quote, work);
  return shape.not.includes(first) || isSpace(text.charCodeAt(at)) ? noValueUntil(at) : bareValue(shape, text, at, work);
};

interface Quote {
  readonly code: number;
  /** Backslashes before the quote: how often the text around it was encoded. */
  readonly depth: number;
  readonly inner: number;
}

const BACKSLASH = 0x5c;
const MOST_BACKSLASHES = 7;
const LF = 0x0a;

const STRING_PREFIX = /[bfru]{1,2}(?=["'])/iy;
const PREFIX_LETTERS = tableOf('bfruBFRU');

const openingQuote = (text: string, at: number): Quote | undefined => {
  const from = isIn(PREFIX_LETTERS, text.charCodeAt(at)) ? (patternEnd(STRING_PREFIX, text, at) ?? at) : at;
  let i = from;
  while (i - from < MOST_BACKSLASHES && text.charCodeAt(i) === BACKSLASH) i += 1;
  const depth = i - from;
  const code = text.charCodeAt(i);
  if (!isQuote(code)) return undefined;
  const triple = depth === 0 && text.charCodeAt(i + 1) === code && text.charCodeAt(i + 2) === code;
  return { code, depth, inner: triple ? i + 3 : i + 1 };
};

const quotedValue = (shape: FreeText, text: string, quote: Quote, work: ScanWork): number => {
  const end = closingEnd(text, quote);
  work.read += (end < 0 ? noValueUntil(end) : end) - quote.inner;
  return end < 0 || lengthBeforeMask(shape, text, quote.inner, end) >= shape.min ? end : noValueUntil(end);
};

/** A value that must have a length may not borrow it from a mask, or masking twice would differ from masking once. */
const lengthBeforeMask = (shape: FreeText, text: string, at: number, end: number): number => {
  const mask = shape.min > 1 ? text.slice(at, end).indexOf(MASK) : -1;
  return mask === -1 ? end - at : mask;
};

/** A quote that never closes was clipped: its value reaches to the end of its line. */
const closingEnd = (text: string, { code, depth, inner }: Quote): number => {
  let backslashes = 0;
  for (let i = inner; i < text.length; i += 1) {
    const here = text.charCodeAt(i);
    if (here === LF) return i > inner ? i : noValueUntil(i);
    if (here === code && backslashes < depth) return i;
    if (here === code && closesAt(backslashes, depth)) return i > inner + depth ? i + 1 : noValueUntil(i);
    backslashes = here === BACKSLASH ? backslashes + 1 : 0;
  }
  return text.length > inner ? text.length : noValueUntil(inner);
};

/** A quote closes when it was encoded as often as its opener. */
const closesAt = (backslashes: number, depth: number): boolean => (depth === 0 ? backslashes % 2 === 0 : backslashes === depth);

/** A reference to a secret is no secret; neither is a type, a literal, an expression that must be code, or bare punctuation. */
const REFERENCE =
  '(?:process\\.env|import\\.meta\\.env|deno\\.env|os\\.environ|(?:os\\.|system\\.)?getenv|env::var|std::env::var|ENV)[.[(]';
/** Brackets count as letters of a name, so that a name with a mask in it still reads as one. */
const NAME = '[a-z_$[][\\w$[\\]]{0,60}';
const CALL = `${NAME}(?:\\??\\.${NAME}){0,6}\\((?=["'\`)\\]{[\\s]|$|[\\w.$[\\]]{0,40}[,)])`;
const KEYWORD = '(?:await|new|async|function|typeof|yield)[ \\t]';
const PARAMETERS = `\\((?:${NAME}\\??)?[:,)]`;
/** Calls count only after a blank, as code is written; a shell's `NAME=value` has none. */
const CODE = new RegExp(`${REFERENCE}|(?:this|self)\\.[a-z_[]|(?<=[ \\t])(?:${CALL}|${KEYWORD}|${PARAMETERS})`, 'iy');
const PLAIN_WORD = /^(?:null|none|nil|true|false|undefined|string|number|boolean|str|bool|int|bytes|any|unknown|object|void)$/i;
const LONGEST_PLAIN_WORD = 9;
const PUNCTUATION = tableOf('{}()[]<>,;|*.');

const bareValue = (shape: FreeText, text: string, at: number, work: ScanWork): number => {
  if (shape.plain && patternEnd(CODE, text, at) !== undefined) return noValueUntil(at);
  let i = at;
  while (i < text.length && !endsBare(text, i)) i = afterQuoted(text, i, work);
  work.read += i - at;
  const end = withoutClosers(text, at, i);
  if (lengthBeforeMask(shape, text, at, end) < shape.min || isAllPunctuation(text, at, end)) return noValueUntil(i);
  const isPlain = shape.plain && end - at <= LONGEST_PLAIN_WORD && PLAIN_WORD.test(text.slice(at, end));
  return isPlain ? noValueUntil(i) : end;
};

const isAllPunctuation = (text: string, at: number, end: number): boolean => {
  for (let i = at; i < end; i += 1) if (!isIn(PUNCTUATION, text.charCodeAt(i))) return false;
  return true;
};

/** An escape sequence of text that was encoded once more, such as the `\n` of a string inside a string. */
const ESCAPE = /\\(?:[nrt"'\\[]|u00[0-9a-f]{2})/iy;
/** The next member of a query, a list or a connection string. */
const NEXT_MEMBER = /(?:&&|[&;,](?:amp;)?(?:$|[\s"'`]|[\w.%[\]-]{1,64}=))/y;
const MEMBER_MARKS = tableOf('&;,');

const endsBare = (text: string, i: number): boolean => {
  const code = text.charCodeAt(i);
  if (isSpace(code)) return true;
  if (isQuote(code)) return closesQuote(text, i);
  if (code === BACKSLASH) return patternEnd(ESCAPE, text, i) !== undefined;
  return isIn(MEMBER_MARKS, code) && patternEnd(NEXT_MEMBER, text, i) !== undefined;
};

/** One character on; where `=` or `:` stands before a quote, past the quoted text. */
const afterQuoted = (text: string, i: number, work: ScanWork): number => {
  if (!isQuote(text.charCodeAt(i)) || !'=:'.includes(text.charAt(i - 1))) return i + 1;
  const close = text.indexOf(text.charAt(i), i + 1);
  work.read += (close === -1 ? text.length : close) - i;
  return close === -1 || text.slice(i, close).includes('\n') ? i + 1 : close + 1;
};

const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };
const MOST_CLOSERS = 8;

/** Leaves trailing commas, semicolons and brackets that nothing in the value opened. */
const withoutClosers = (text: string, at: number, from: number): number => {
  let end = from;
  for (let n = 0; n < MOST_CLOSERS && end > at; n += 1, end -= 1) {
    const last = text.charAt(end - 1);
    const opener = CLOSERS[last];
    if (last !== ',' && last !== ';' && (opener === undefined || text.slice(at, end).includes(opener))) break;
  }
  return end;
};
