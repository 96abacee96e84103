// The capabilities the shell hands around: clock, randomness, digest, environment. Everything that decides gets values of these.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Digest } from '../../core/kernel/digest.js';
import type { WallClock } from '../../core/run/operating-hours.js';
import type { Log } from './log.js';
import { readWallClock } from './wall-clock.js';

export interface World {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What the clocks of a zone show at an instant; without a zone, those of the host. */
  readonly wallClock: (at: number, zone?: string) => ZonedClock;
  readonly digest: Digest;
  /** Lowercase hex of that many random bytes. */
  readonly randomHex: (bytes: number) => string;
  readonly uuid: () => string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

export interface ZonedClock extends WallClock {
  /** `2026-09-30`. */
  readonly date: string;
}

export const sha256Hex: Digest = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

export const productionWorld = (log: Log): World => ({
  now: Date.now,
  wallClock: readWallClock,
  digest: sha256Hex,
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: randomUUID,
  environment: Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  log,
});
