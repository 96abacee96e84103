// Run closed → trace final → assemble → sanitize → render → store → provider → index rows (SPEC-0030 REQ-5, REQ-9, REQ-13).
// The feed's cursor moves only with the committed row, so a crash at any point loses no episode and doubles none.
import * as E from 'fp-ts/lib/Either.js';
import { assembleEpisode, droppedEdits } from '../../core/episode/assemble.js';
import { renderEpisode } from '../../core/episode/render.js';
import { sanitizeEpisode } from '../../core/episode/sanitize.js';
import { formatInstant, parseInstant, SECOND } from '../../core/kernel/time.js';
import { RETRY_WINDOW } from '../../core/provider/retry.js';
import type { LedgerLine, RunKey } from '../../core/run/record.js';
import type { StoredRun } from '../../core/run/session.js';
import { EPISODE_CURSOR } from '../store/episode-table.js';
import type { DueRecord } from '../store/outbox-table.js';
import type { RecordDeps } from './send-records.js';

/** Longest wait for a trace to be sealed after its run closed. */
const SEAL_WAIT_MS = 5 * SECOND;
const SEAL_POLL_MS = 100;
const LINES_READ = 500;

/** What kept an episode from being stored, with the run it is about. */
export class EpisodeFault extends Error {
  readonly key: RunKey;

  constructor({ harness, run_id }: LedgerLine, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.key = { harness, run_id };
  }
}

export interface Recorded {
  readonly cursor: number;
  /** Stored just now and not yet sent. */
  readonly fresh: readonly DueRecord[];
}

/**
 * Stores the episode of every closed or decided line after `cursor`, in order, for as long as `goesOn` says so. Nothing here waits
 * for a provider.
 */
export const recordNewEpisodes = async (cursor: number, deps: RecordDeps, goesOn: () => boolean = () => true): Promise<Recorded> => {
  const fresh: DueRecord[] = [];
  let done = cursor;
  for (let at = cursor; ; ) {
    const { lines, last, more, unreadable } = await deps.store.read('readLinesAfter', { after: at, limit: LINES_READ });
    const ends = lines.filter((line) => line.type === 'closed' || line.type === 'decided');
    for (const line of ends) {
      const stored = await recordRun(line, deps).catch((error: unknown) => {
        throw new EpisodeFault(line, error);
      });
      if (stored !== undefined) fresh.push(stored);
      done = line.seq;
      // What is left is found again by its cursor.
      if (!goesOn()) return { cursor: done, fresh };
    }
    if (last !== at && ends.at(-1)?.seq !== last) await deps.store.write('writeCursor', { name: EPISODE_CURSOR, seq: last });
    if (unreadable > 0) deps.world.log.error({ event: 'ledger_unreadable', lines: unreadable });
    if (!more) return { cursor: last, fresh };
    at = last;
  }
};

/** Where recording goes on: the cursor that moved with the last committed row. */
export const readEpisodeCursor = ({ store }: Pick<RecordDeps, 'store'>): Promise<number> => store.read('readCursor', EPISODE_CURSOR);

const recordRun = async (line: LedgerLine, deps: RecordDeps): Promise<DueRecord | undefined> => {
  const { store, world, counters } = deps;
  const key: RunKey = { harness: line.harness, run_id: line.run_id };
  const run = await finalRun(line, key, deps);
  const recordedAt = world.now();
  const assembled = run === undefined ? E.left('no_process' as const) : assembleEpisode(run, world.digest);
  if (E.isLeft(assembled)) {
    await store.write('skipEpisode', { ...key, reason: assembled.left, at: formatInstant(recordedAt), seq: line.seq });
    counters.episodes.skipped += 1;
    world.log.info({ event: 'episode_skipped', harness: key.harness, run: key.run_id, reason: assembled.left });
    return undefined;
  }
  if (run !== undefined)
    for (const [reason, count] of Object.entries(droppedEdits(run)))
      world.log.info({ event: 'edits_dropped', harness: key.harness, run: key.run_id, reason, count });
  const episode = sanitizeEpisode(assembled.right);
  const text = renderEpisode(episode);
  const deadline_at = formatInstant(recordedAt + RETRY_WINDOW);
  const { added } = await store.write('recordEpisode', {
    episode,
    text,
    at: run?.record.ended_at ?? episode.started_at,
    recorded_at: formatInstant(recordedAt),
    provider: deps.provider.name,
    deadline_at,
    seq: line.seq,
  });
  world.log.info({
    event: 'episode_recorded',
    harness: key.harness,
    run: key.run_id,
    episode: episode.episode_id,
    bytes: Buffer.byteLength(text),
  });
  return added ? { episode_id: episode.episode_id, provider: deps.provider.name, attempts: 0, deadline_at, episode, text } : undefined;
};

/**
 * The run's rows once its trace is sealed; after the bound it is sealed here, so that later rows change no episode. The bound counts
 * from the close: a run that an earlier daemon closed and could not seal must not hold up those behind it.
 */
const finalRun = async (line: LedgerLine, key: RunKey, { store, world }: RecordDeps): Promise<StoredRun | undefined> => {
  const until = Math.min(world.now(), parseInstant(line.at) ?? 0) + SEAL_WAIT_MS;
  for (;;) {
    const force = line.type === 'decided' || world.now() >= until;
    const { sealed, run } = await store.write('readFinalRun', { ...key, ...(force ? { seal_at: formatInstant(world.now()) } : {}) });
    if (sealed) return run;
    await new Promise((resolve) => setTimeout(resolve, SEAL_POLL_MS));
  }
};
