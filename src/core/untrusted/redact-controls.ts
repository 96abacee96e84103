// Finds secrets that a terminal would show whole although control characters stand in or beside them: a colour between a name and
// its value, a NUL inside a token (SPEC-0030 REQ-6). Text without such a secret is left as it is.
import { stripControlsKeepingLines } from '../kernel/text.js';
import { redact } from './redact.js';

/** OSC and its kin, CSI, and the short escapes; each stops at the next escape, so that the search stays linear. */
const SEQUENCES =
  /\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]|\u001b[ -/]{0,16}[0-~]/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The text as a terminal would show it, without what steers the terminal. */
export const withoutSequences = (text: string): string => (CONTROL.test(text) ? text.replace(SEQUENCES, '') : text);

/** Redacts what is shown; only where that finds a secret do the control characters go with it. */
export const redactShown = (text: string): string => {
  if (!CONTROL.test(text)) return redact(text);
  const bare = stripControlsKeepingLines(withoutSequences(text));
  const masked = redact(bare);
  return masked === bare ? redact(text) : masked;
};
