// Cuts long strings of a TOML text into lists of short ones, since the parser passes the characters of each string as arguments
// and overflows its stack on a long prompt. No line moves; the lists are joined again after parsing.

/** A string longer than this is cut, in UTF-16 units; the parser's stack takes about six times as many. */
export const LONG_STRING = 20_000;
/** Opens a list that was one string. No key takes a text with NUL. */
export const CUT_MARK = '\u0000cut';
const WRITTEN_MARK = '"\\u0000cut"';

export const splitLongStrings = (text: string): string => {
  if (text.length <= LONG_STRING) return text;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = quoteAt(text, at);
    if (quote === undefined) {
      at = text[at] === '#' ? endOfLine(text, at) : at + 1;
      continue;
    }
    const cuts = readString(text, at, quote);
    if (cuts.places.length > 0) {
      const edges = [at + quote.length, ...cuts.places, cuts.end];
      const pieces = edges.slice(1).map((end, index) => text.slice(edges[index], end));
      parts.push(text.slice(copied, at), `[${WRITTEN_MARK},${quote}${pieces.join(`${quote},${quote}`)}]`);
      copied = cuts.end;
    }
    at = cuts.end;
  }
  return parts.join('') + text.slice(copied);
};

/** A list of pieces is the string they make. */
export const joinPieces = (values: readonly unknown[]): unknown => (values[0] === CUT_MARK ? values.slice(1).join('') : values);

const quoteAt = (text: string, at: number): string | undefined => ['"""', "'''", '"', "'"].find((quote) => text.startsWith(quote, at));

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

interface StringCuts {
  /** Behind the closing quote. */
  readonly end: number;
  readonly places: readonly number[];
}

const readString = (text: string, start: number, quote: string): StringCuts => {
  const places: number[] = [];
  let piece = start + quote.length;
  for (let at = piece; at < text.length; at += tokenLength(text, at, quote)) {
    if (text.startsWith(quote, at)) return { end: closingEnd(text, at, quote), places };
    if (quote.length === 1 && text[at] === '\n') return { end: at, places: [] };
    if (at - piece >= LONG_STRING && isSafeCut(text, at)) {
      places.push(at);
      piece = at;
    }
  }
  return { end: text.length, places: [] };
};

/** An escape is never cut; a line-ending backslash is one character here, and what it trims is never a safe cut. */
const tokenLength = (text: string, at: number, quote: string): number => {
  if (text[at] !== '\\' || quote.startsWith("'")) return 1;
  return { u: 6, U: 10 }[text[at + 1] ?? ''] ?? 2;
};

/** Up to two more quotes belong to a multi-line string. */
const closingEnd = (text: string, at: number, quote: string): number => {
  const end = at + quote.length;
  if (quote.length === 1) return end;
  const more = [quote[0], quote[0]].findIndex((mark, index) => text[end + index] !== mark);
  return end + (more < 0 ? 2 : more);
};

/** Not at white space, which could be trimmed, not beside a quote, not inside a surrogate pair. */
const isSafeCut = (text: string, at: number): boolean => !/^["']|["'\s\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
