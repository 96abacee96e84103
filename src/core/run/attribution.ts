// Decides which run a session belongs to that is known by its transcript alone (SPEC-0006, SPEC-0022 REQ-8): it fails closed, so a
// session that a second harness could have written belongs to nobody.
import * as E from 'fp-ts/lib/Either.js';
import { byNumber, inTurn, on, sorted, sortedDistinct } from '../kernel/order.js';
import type { Duration, Instant } from '../kernel/time.js';
import type { RunKey } from './record.js';

/** Clients round and buffer: a session may say that it began this much before or after its run. */
export const START_TOLERANCE: Duration = 2_000;

/** A run whose client keeps transcripts, from its admission to its end. */
export interface RunWindow extends RunKey {
  /** Where its client keeps transcripts; equal for all that write to one place. */
  readonly store: string;
  /** Where it runs, symlinks resolved. */
  readonly workdir: string;
  /** Its harness names a workdir; one that does not gets no sessions, but may well write some. */
  readonly declared: boolean;
  /** Its client may write the transcripts of directories above its own. */
  readonly writesAbove: boolean;
  readonly started_at: Instant;
  readonly ended_at?: Instant;
}

export interface TranscriptSession {
  readonly store: string;
  /** As the transcript says. */
  readonly cwd: string;
  /** When it began or, for one that an earlier run left behind, when it went on. */
  readonly at: Instant;
  /** A run has announced it on its own output, which is exact. */
  readonly claimed: boolean;
}

/** Tested in this order. `unreadable` is for transcripts nobody could look into. */
export const UNATTRIBUTED = ['claimed', 'no_run', 'ambiguous', 'no_workdir', 'unreadable'] as const;
export type Unattributed = (typeof UNATTRIBUTED)[number];

export interface Refusal {
  readonly reason: Unattributed;
  /** The harnesses that could have written it, when there is more than one. */
  readonly harnesses: readonly string[];
}

/** The run that a session belongs to, or why it belongs to none. */
export const attributeSession = (session: TranscriptSession, windows: readonly RunWindow[]): E.Either<Refusal, RunWindow> => {
  if (session.claimed) return refuse('claimed');
  const writers = windows.filter((window) => couldWrite(window, session));
  const own = writers.filter(({ workdir }) => workdir === session.cwd);
  if (own.length === 0) return refuse('no_run');
  const harnesses = sortedDistinct(writers.map(({ harness }) => harness));
  if (harnesses.length > 1) return refuse('ambiguous', harnesses);
  const declared = own.filter((window) => window.declared);
  const inOrder = sorted(
    declared,
    inTurn(
      on((window) => window.started_at, byNumber),
      on((window) => window.run_id, byNumber),
    ),
  );
  // Where two runs follow one another closely, the one that had begun; the first, when none had.
  const run = inOrder.findLast(({ started_at }) => started_at <= session.at) ?? inOrder[0];
  return run === undefined ? refuse('no_workdir') : E.right(run);
};

/** True of the moments a run was open, its edges included: an item belongs to the run that was open at the item's own time. */
export const isOpenAt = ({ started_at, ended_at }: Pick<RunWindow, 'started_at' | 'ended_at'>, at: Instant): boolean =>
  at >= started_at && (ended_at === undefined || at <= ended_at);

const couldWrite = (window: RunWindow, { store, cwd, at }: TranscriptSession): boolean =>
  window.store === store && reaches(window, cwd) && isOpenAt(widened(window), at);

const reaches = ({ workdir, writesAbove }: RunWindow, cwd: string): boolean =>
  workdir === cwd || (writesAbove && workdir.startsWith(cwd === '/' ? '/' : `${cwd}/`));

const widened = ({ started_at, ended_at }: RunWindow): Pick<RunWindow, 'started_at' | 'ended_at'> => ({
  started_at: started_at - START_TOLERANCE,
  ...(ended_at === undefined ? {} : { ended_at: ended_at + START_TOLERANCE }),
});

const refuse = (reason: Unattributed, harnesses: readonly string[] = []): E.Either<Refusal, never> => E.left({ reason, harnesses });
