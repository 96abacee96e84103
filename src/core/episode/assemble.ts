// Turns the stored rows of a closed run into a raw episode, by code and with no model (SPEC-0030 REQ-5).
// It reads nothing but its argument, so the same rows give the same episode on any day and machine.
import * as E from 'fp-ts/lib/Either.js';
import type { Digest } from '../kernel/digest.js';
import { sortedDistinct } from '../kernel/order.js';
import { countOf, type Tally } from '../kernel/tally.js';
import type { RunKey, RunRecord } from '../run/record.js';
import { type PathDrop, pathInRepo } from '../run/repo-path.js';
import type { EventRow, SessionRow, StoredRun } from '../run/session.js';
import { countVerifyFailures } from './classify.js';
import { eligibleSession, type RepoSession, type SkipReason } from './eligible.js';
import type { RawEpisode, TrustClass } from './episode.js';

const ID_HEX = 20;

/** A raw episode of an eligible run, or the reason why it gets none. */
export const assembleEpisode = (run: StoredRun, digest: Digest): E.Either<SkipReason, RawEpisode> => {
  const eligible = eligibleSession(run);
  return E.isLeft(eligible) ? eligible : E.right(assembleFrom(run, eligible.right, digest));
};

/** `ep_` and 20 hex digits of SHA-256 over harness, run id and start, one a line. */
export const episodeId = ({ harness, run_id }: RunKey, startedAt: string, digest: Digest): string =>
  `ep_${digest(`${harness}\n${run_id}\n${startedAt}`).slice(0, ID_HEX)}`;

const assembleFrom = (run: StoredRun, primary: RepoSession, digest: Digest): RawEpisode => {
  const { record, context } = run;
  const sessions = run.sessions.filter((session) => session.repo === primary.repo);
  const inRepo = new Set(sessions.map((session) => session.session_id));
  const events = run.events.filter((event) => inRepo.has(event.session_id));
  const result = run.results.find((row) => row.session_id === primary.session_id);
  const startedAt = record.started_at ?? primary.started_at;
  return {
    episode_id: episodeId(record, startedAt, digest),
    harness: record.harness,
    adapter: context.adapter,
    run_id: record.run_id,
    trace_id: primary.trace_id,
    ...optional('model', record.model ?? context.model),
    repo: primary.repo,
    ...optional('branch', primary.git_branch),
    outcome: record.outcome ?? 'interrupted',
    ...optional('reason', record.reason),
    started_at: startedAt,
    ...optional('duration_ms', record.duration_ms),
    ...optional('cost_usd', record.cost_usd),
    cost_source: record.cost_source ?? 'unknown',
    files_touched: filesTouched(sessions, events),
    verify_failures: countVerifyFailures(events),
    ...optional('result_text', result?.text),
    excerpt_chars: context.excerpt_chars,
    trust_class: trustClass(record, context.untrusted_inline),
    scope: `project:${primary.repo}`,
  };
};

/** An event in the run, from a webhook or channel and replays included, makes it untrusted; so does the operator's own switch. */
const trustClass = (record: RunRecord, untrustedInline: boolean): TrustClass =>
  record.event_id !== undefined || untrustedInline ? 'untrusted_input' : 'standard';

const filesTouched = (sessions: readonly SessionRow[], events: readonly EventRow[]): readonly string[] =>
  sortedDistinct(placeEdits(sessions, events).flatMap((path) => (E.isRight(path) ? [path.right] : [])));

/** The edits that have no path in their repository, by reason: for the log, since the episode leaves them out. */
export const droppedEdits = ({ sessions, events }: StoredRun): Tally<PathDrop> =>
  countOf(placeEdits(sessions, events).flatMap((path) => (E.isLeft(path) ? [path.left] : [])));

const placeEdits = (sessions: readonly SessionRow[], events: readonly EventRow[]): readonly E.Either<PathDrop, string>[] => {
  const places = new Map(sessions.map((session) => [session.session_id, session]));
  return events.filter(isEdit).flatMap((event) => {
    const session = places.get(event.session_id);
    if (session?.cwd === undefined || session.worktree === undefined) return [];
    const place = { cwd: session.cwd, worktree: session.worktree, prefix: session.prefix ?? '' };
    return event.targets.filter((target) => target.touch === 'edit').map((target) => pathInRepo(target.path, place));
  });
};

const isEdit = (event: EventRow): boolean => event.kind === 'tool_call' && event.action === 'edit' && !event.is_error;

const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
