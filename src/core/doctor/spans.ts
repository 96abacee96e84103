// Spans of time as a doctor says them: one unit is enough.
import { DAY, type Duration, HOUR, MINUTE, SECOND } from '../kernel/time.js';

const UNITS: readonly (readonly [Duration, string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
];

/** `3 d`, `2 h`, `5 min`, `12 s`: rounded down. */
export const roughly = (span: Duration): string => {
  const [unit, word] = UNITS.find(([each]) => span >= each) ?? [SECOND, 's'];
  return `${Math.max(0, Math.floor(span / unit))} ${word}`;
};
