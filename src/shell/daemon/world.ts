// The capabilities the shell hands around: clock, randomness, digest, environment. Everything that decides gets values of these.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Digest } from '../../core/kernel/digest.js';
import type { Log } from './log.js';

export interface World {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly digest: Digest;
  /** Lowercase hex of that many random bytes. */
  readonly randomHex: (bytes: number) => string;
  readonly uuid: () => string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

export const sha256Hex: Digest = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

export const productionWorld = (log: Log): World => ({
  now: Date.now,
  digest: sha256Hex,
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: randomUUID,
  environment: Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  log,
});
