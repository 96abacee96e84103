// `--since`: a duration back from now, or an instant.
import * as E from 'fp-ts/lib/Either.js';
import { formatInstant, parseDuration, parseInstant } from '../core/kernel/time.js';
import { CliFailure } from './session.js';

/** RFC 3339 UTC, or an empty string when nothing was given. */
export const readSince = (text: string | undefined, now: number): string => {
  if (text === undefined || text === '') return '';
  const instant = parseInstant(text);
  if (instant !== undefined) return formatInstant(instant);
  const duration = parseDuration(text);
  // Longer ago than any clock tells is as long ago as there is.
  if (E.isRight(duration)) return formatInstant(Math.max(0, now - duration.right));
  throw new CliFailure('invalid_argument', `--since ${text} is neither a duration (2h45m, 7d) nor an RFC 3339 instant`);
};
