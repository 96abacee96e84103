// Redacts a stream line by line, remembering between lines that a private key is open, since its body names nothing
// by itself (SPEC-0030 REQ-6).
import { findings, MASK } from './redact.js';
import { redactShown } from './redact-controls.js';

/** Whether the lines so far left a private key open. */
export interface LineState {
  readonly inPem: boolean;
}

export const LINE_START: LineState = { inPem: false };

export interface RedactedLine {
  readonly state: LineState;
  readonly line: string;
}

/** One step: the redacted line, without its line end, and what to remember for the next one. */
export const redactLine = (state: LineState, line: string): RedactedLine => (state.inPem ? insidePem(line) : ordinary(line));

const PEM_CLASS = 7;
const PEM_END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}/;

const ordinary = (line: string): RedactedLine => ({ state: { inPem: leavesPemOpen(line) }, line: redactShown(line) });

/** A key that runs to the end of its line without an end marker is still open. */
const leavesPemOpen = (line: string): boolean => {
  if (!line.includes('PRIVATE KEY')) return false;
  const last = findings(line).at(-1);
  return last !== undefined && last.class === PEM_CLASS && last.end === line.length && !PEM_END.test(line.slice(last.start));
};

const insidePem = (line: string): RedactedLine => {
  const end = PEM_END.exec(line);
  if (end !== null) {
    const rest = ordinary(line.slice(end.index + end[0].length));
    return { state: rest.state, line: MASK + rest.line };
  }
  const bare = withoutFrame(line);
  if (bare === '') return { state: { inPem: true }, line };
  return looksLikeBody(bare) ? { state: { inPem: true }, line: MASK } : ordinary(line);
};

const FRAME = '│┃║|╎┆┊ \t\r';

/** The line without the box that a terminal program drew around it. */
const withoutFrame = (line: string): string => {
  let from = 0;
  let to = line.length;
  while (from < to && FRAME.includes(line.charAt(from))) from += 1;
  while (to > from && FRAME.includes(line.charAt(to - 1))) to -= 1;
  return line.slice(from, to);
};

const NOT_BASE64 = /[^A-Za-z0-9+/=]/;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}: /;

/** Base64, or a header of RFC 1421. */
const looksLikeBody = (line: string): boolean => !NOT_BASE64.test(line) || HEADER.test(line);
