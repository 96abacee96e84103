// What a doctor asks the store: what waits for how long, which harnesses get no episodes, which windows were missed.
import type { SkipReason } from '../../core/episode/eligible.js';
import type { Database } from './database.js';

export interface DoctorQuery {
  readonly provider: string;
  /** RFC 3339; windows missed before it are left out. */
  readonly since: string;
}

export interface DoctorCounts {
  /** When the oldest that waits was recorded, and forgotten; absent when none waits. */
  readonly oldest_record_at?: string;
  readonly oldest_forget_at?: string;
  readonly skip_streaks: readonly { readonly harness: string; readonly reason: SkipReason; readonly runs: number }[];
  readonly missed: Readonly<Record<string, number>>;
}

/** So many runs in a row without an episode are no accident. */
const STREAK = 5;

export const readDoctorCounts = (db: Database, { provider, since }: DoctorQuery): DoctorCounts => {
  const oldest = (kind: string, column: 'recorded_at' | 'forgotten_at'): string | null =>
    db
      .prepare<[string, string], string | null>(
        `SELECT min(e.${column}) FROM episode_outbox o JOIN episodes e ON e.episode_id = o.episode_id
         WHERE o.kind = ? AND o.state = 'pending' AND o.provider = ?`,
      )
      .pluck()
      .get(kind, provider) ?? null;
  const record = oldest('record', 'recorded_at');
  const forget = oldest('forget', 'forgotten_at');
  return {
    ...(record === null ? {} : { oldest_record_at: record }),
    ...(forget === null ? {} : { oldest_forget_at: forget }),
    skip_streaks: readStreaks(db),
    missed: readMissed(db, since),
  };
};

/** Runs that never started because of a rule count neither way. */
const readStreaks = (db: Database): DoctorCounts['skip_streaks'] => {
  const newest = db.prepare<[string, number], SkipReason | null>(
    `SELECT s.reason FROM run r LEFT JOIN episode_skip s ON s.harness = r.harness AND s.run_id = r.run_id
     WHERE r.harness = ? AND r.open = 0 AND json_extract(r.record, '$.outcome') NOT IN ('skipped', 'missed')
     ORDER BY r.run_id DESC LIMIT ?`,
  );
  const harnesses = db.prepare<[], string>('SELECT harness FROM run_sequence ORDER BY harness').pluck().all();
  return harnesses.flatMap((harness) => {
    const reasons = newest.pluck().all(harness, STREAK);
    const [reason] = reasons;
    const same = reason != null && reasons.length === STREAK && reasons.every((each) => each === reason);
    return same ? [{ harness, reason, runs: STREAK }] : [];
  });
};

const readMissed = (db: Database, since: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    db
      .prepare<[string], { harness: string; windows: number }>(
        `SELECT harness, sum(coalesce(json_extract(record, '$.windows'), 1)) AS windows FROM run
         WHERE at >= ? AND json_extract(record, '$.outcome') = 'missed' GROUP BY harness`,
      )
      .all(since)
      .map(({ harness, windows }) => [harness, windows]),
  );
