// Knows of every run that may write transcripts, so that each session found in a store can be told whose it is, and remembers what
// outlives a run: which harness a session belongs to, and the totals of crush's sessions (SPEC-0006, SPEC-0022 REQ-8).
import type * as E from 'fp-ts/lib/Either.js';
import type { Tally } from '../../../core/kernel/tally.js';
import {
  attributeSession,
  type Refusal,
  type RunWindow,
  START_TOLERANCE,
  type TranscriptSession,
  type Unattributed,
} from '../../../core/run/attribution.js';
import type { RunKey } from '../../../core/run/record.js';
import type { CrushTotals } from '../../../core/trace/crush-usage.js';

/** Sessions remembered beyond their runs; the oldest is forgotten first. */
const SESSIONS_REMEMBERED = 10_000;

export type Sighting = Omit<TranscriptSession, 'claimed'> & { readonly session_id: string };

export interface FleetWindows {
  /** A run is about to start. */
  readonly open: (window: RunWindow) => void;
  readonly close: (key: RunKey, at: number) => void;
  /** A run's own output announced the session. */
  readonly claim: (store: string, sessionId: string) => void;
  readonly attribute: (session: Sighting) => E.Either<Refusal, RunWindow>;
  /** The session is this harness's from now on. */
  readonly keep: (store: string, sessionId: string, harness: string) => void;
  readonly keeperOf: (store: string, sessionId: string) => string | undefined;
  readonly totals: Map<string, CrushTotals>;
  /** A session that belongs to nobody, or a transcript that cannot be read, is counted once. True the first time. */
  readonly refused: (reason: Unattributed, what: string) => boolean;
  readonly tally: () => Tally<Unattributed>;
}

export const openFleetWindows = (): FleetWindows => {
  let windows: readonly RunWindow[] = [];
  const claimed = new Map<string, true>();
  const counted = new Map<string, true>();
  const keepers = new Map<string, string>();
  const totals = new Map<string, CrushTotals>();
  const counts: Partial<Record<Unattributed, number>> = {};
  return {
    open: (window) => {
      windows = [...windows.filter((each) => !isPast(each, windows, window.started_at)), window];
    },
    close: ({ harness, run_id }, at) => {
      windows = windows.map((each) =>
        each.harness === harness && each.run_id === run_id ? { ...each, ended_at: each.ended_at ?? at } : each,
      );
      forgetOldest(totals);
    },
    claim: (store, session) => remember(claimed, `${store}\n${session}`, true),
    attribute: ({ session_id, ...session }) =>
      attributeSession({ ...session, claimed: claimed.has(`${session.store}\n${session_id}`) }, windows),
    keep: (store, session, harness) => remember(keepers, `${store}\n${session}`, harness),
    keeperOf: (store, session) => keepers.get(`${store}\n${session}`),
    totals,
    refused: (reason, what) => {
      const name = `${reason}\n${what}`;
      if (counted.has(name)) return false;
      remember(counted, name, true);
      counts[reason] = (counts[reason] ?? 0) + 1;
      return true;
    },
    tally: () => ({ ...counts }),
  };
};

/** No session of a run that is open, or still being read, can have begun while this one could write. */
const isPast = ({ ended_at }: RunWindow, windows: readonly RunWindow[], now: number): boolean =>
  ended_at !== undefined &&
  ended_at + LAST_READ_MS < now &&
  windows.every((each) => each.ended_at !== undefined || each.started_at > ended_at + 2 * START_TOLERANCE);

/** By then the transcripts of an ended run have been read to their end. */
const LAST_READ_MS = 30_000;

const remember = <A>(map: Map<string, A>, key: string, value: A): void => {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map);
};

const forgetOldest = (map: Map<string, unknown>): void => {
  for (const key of map.keys()) {
    if (map.size <= SESSIONS_REMEMBERED) return;
    map.delete(key);
  }
};
