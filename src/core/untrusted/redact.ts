// The one redactor: masks credentials in text and keeps what names them (SPEC-0030 REQ-6). A pure function of its input
// and a pinned rule table; nothing in the input can switch it off, and masking twice changes nothing.
import { byNumber, on, sorted } from '../kernel/order.js';
import { basicAuthFindings } from './redact-basic-auth.js';
import { MASK, type ScanWork } from './redact-reading.js';
import type { RedactClass } from './redact-rules.js';
import { type Finding, scan } from './redact-scan.js';

export { type RedactClass, RULES_VERSION } from './redact-rules.js';
export type { Finding } from './redact-scan.js';
export { MASK };

/** The text with each secret replaced by `[REDACTED]`; labels stay. Text without secrets comes back as it was. */
export const redact = (text: string): string => {
  const spans = findings(text);
  if (spans.length === 0) return text;
  let masked = '';
  let pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(from, start));
    from = end;
    if (pieces.length === PIECES_AT_ONCE) {
      masked += pieces.join(MASK) + MASK;
      pieces = [];
    }
  }
  pieces.push(text.slice(from));
  return masked + pieces.join(MASK);
};

/** Joined in portions: a line of two million secrets would otherwise hold as many strings at once. */
const PIECES_AT_ONCE = 4096;

/** What `redact` would mask: ascending, apart from one another, each with the first class that claims part of it. */
export const findings = (text: string, work: ScanWork = { tried: 0, read: 0 }): readonly Finding[] => {
  if (text.length < SHORTEST_TOKEN && !MARKS.test(text)) return NONE;
  const values = merged(scan(text, work));
  const passwords = basicAuthFindings(text, values, work);
  return passwords.length === 0 ? values : merged([...values, ...passwords]);
};

/** Shorter text holds a secret only behind a mark that sets it off, such as `token=x`. Most names and words have none. */
const SHORTEST_TOKEN = 20;
const MARKS = /[:=-]/;
const NONE: readonly Finding[] = [];

const byStart = on((finding: Finding) => finding.start, byNumber);

/** Rules are tried from left to right, so most texts need no sorting. */
const inOrder = (found: readonly Finding[]): readonly Finding[] =>
  found.every((finding, i) => (found[i - 1]?.start ?? 0) <= finding.start) ? found : sorted(found, byStart);

const merged = (found: readonly Finding[]): readonly Finding[] => {
  if (found.length < 2) return found;
  const spans: Finding[] = [];
  for (const next of inOrder(found)) {
    const last = spans.at(-1);
    if (last === undefined || next.start >= last.end) spans.push(next);
    else spans[spans.length - 1] = joined(last, next);
  }
  return spans;
};

const URL_PASSWORD: RedactClass = 1;

/** In `https://x-access-token:SECRET@host` the user name reads like an assignment; the URL's reading keeps the host. */
const joined = (left: Finding, right: Finding): Finding => {
  if (left.start === right.start && right.class === URL_PASSWORD) return right;
  if (left.start === right.start && left.class === URL_PASSWORD) return left;
  return { class: Math.min(left.class, right.class) as RedactClass, start: left.start, end: Math.max(left.end, right.end) };
};
