// The one redactor: masks credentials in text and keeps what names them (SPEC-0030 REQ-6). A pure function of its input
// and a pinned rule table; nothing in the input can switch it off, and masking twice changes nothing.
import { byNumber, inTurn, on } from '../kernel/order.js';
import { MASK } from './redact-reading.js';
import type { RedactClass } from './redact-rules.js';
import { type Finding, scan } from './redact-scan.js';

export { type RedactClass, RULES_VERSION } from './redact-rules.js';
export type { Finding } from './redact-scan.js';
export { MASK };

/** The text with each secret replaced by `[REDACTED]`; labels stay. Text without secrets comes back as it was. */
export const redact = (text: string): string => {
  const spans = findings(text);
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(from, start), MASK);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
};

/** What `redact` would mask: ascending, apart from one another, each with the first class that claims part of it. */
export const findings = (text: string): readonly Finding[] => merged(preferUrlParts(scan(text)));

const byStart = inTurn<Finding>(
  on((finding) => finding.start, byNumber),
  on((finding) => finding.class, byNumber),
);

const merged = (found: readonly Finding[]): readonly Finding[] => {
  if (found.length < 2) return found;
  const spans: Finding[] = [];
  for (const next of [...found].sort(byStart)) {
    const last = spans.at(-1);
    if (last === undefined || next.start >= last.end) spans.push(next);
    else spans[spans.length - 1] = joined(last, next);
  }
  return spans;
};

const joined = (left: Finding, right: Finding): Finding => ({
  class: Math.min(left.class, right.class) as RedactClass,
  start: left.start,
  end: Math.max(left.end, right.end),
});

const URL_PASSWORD: RedactClass = 1;

/** In `https://x-access-token:SECRET@host` the user name reads like an assignment; the URL's reading keeps the host. */
const preferUrlParts = (found: readonly Finding[]): readonly Finding[] => {
  const starts = new Set(found.filter((finding) => finding.class === URL_PASSWORD).map((finding) => finding.start));
  if (starts.size === 0) return found;
  return found.filter((finding) => finding.class === URL_PASSWORD || !starts.has(finding.start));
};
