// Makes text from outside fit to be kept: control characters go first, then the whole text is redacted, then it is cut.
// A control character inside a token would hide it, and a cut through one would leave its half (SPEC-0030 REQ-6).
import { capBytes, capCodePoints, stripControlsKeepingLines, toOneLine } from '../kernel/text.js';
import { redact } from './redact.js';
import { withoutSequences } from './redact-controls.js';

/** One line, redacted, uncut: what every string of an episode passes. Line breaks and tabs become spaces. */
export const redactOneLine = (text: string): string => redactBare(text.toWellFormed(), toOneLine);

/** One redacted line of at most `limitBytes` UTF-8 bytes. */
export const cleanLine = (text: string, limitBytes: number): string => capBytes(redactOneLine(text), limitBytes);

/** One redacted line of at most `limit` code points. */
export const cleanLineOfCharacters = (text: string, limit: number): string => capCodePoints(redactOneLine(text), limit);

/** Redacted text that keeps its line breaks and tabs, uncut. */
export const redactKeepingLines = (text: string): string => redactBare(text.toWellFormed(), stripControlsKeepingLines);

/** Redacted text that keeps its line breaks and tabs, of at most `limitBytes` UTF-8 bytes. */
export const cleanLines = (text: string, limitBytes: number): string => capBytes(redactKeepingLines(text), limitBytes);

/** What an escape sequence leaves behind may stand between a name and its secret: where it does, the whole sequence goes. */
const redactBare = (text: string, strip: (text: string) => string): string => {
  const bare = strip(withoutSequences(text));
  const masked = redact(bare);
  return masked === bare ? redact(strip(text)) : masked;
};
