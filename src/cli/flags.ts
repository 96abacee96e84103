// Reads the flags of a command as what they are.
import { CliFailure, openSession, type Session } from './session.js';

export type Flags = Readonly<Record<string, unknown>>;

/** What a count may be at most on the wire. */
const COUNT_MAX = 2 ** 31 - 1;

export const session = (flags: Flags): Session => openSession(flags as Parameters<typeof openSession>[0]);

export const text = (flags: Flags, name: string): string => (typeof flags[name] === 'string' ? (flags[name] as string) : '');

export const optional = (flags: Flags, name: string): string | undefined => (text(flags, name) === '' ? undefined : text(flags, name));

/** A list of words, and what stands after `--`. */
export const words = (flags: Flags, name: string): readonly string[] =>
  [flags[name], flags['--']].flat().flatMap((word) => (word === undefined ? [] : [String(word)]));

export const flag = (flags: Flags, name: string): boolean => flags[name] === true;

export const whole = (flags: Flags, name: string, least: number): number => {
  const value = flags[name] ?? 0;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= COUNT_MAX) return value;
  throw new CliFailure('invalid_argument', `--${name} must be a whole number of at least ${least}`);
};
