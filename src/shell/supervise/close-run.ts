// Ends a run's record: what it says of the end, and in which order record, trace and log are closed.
import { formatInstant } from '../../core/kernel/time.js';
import { type EndCause, endFields, type ProcessExit, spawnFailure } from '../../core/run/close.js';
import type { RunFields, RunKey } from '../../core/run/record.js';
import { SYNC_BOUND } from '../../core/run/retry.js';
import { usageFields } from '../../core/run/usage.js';
import type { TraceSummary } from '../traces/trace-recorder.js';
import type { TraceStore } from '../traces/trace-store.js';
import type { StartError } from './child.js';
import type { OneShotDeps, OneShotRequest } from './one-shot.js';
import type { PreparedStart } from './prepare.js';
import type { RunFile } from './run-log.js';

/** A start that made no process. */
export const failStart = async (request: OneShotRequest, deps: OneShotDeps, log: RunFile, error: StartError): Promise<RunFields> => {
  const { key } = request;
  deps.world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: error.message });
  await log.write(`harness: start failed: ${error.message}\n`);
  return close(request, deps, log, spawnFailure(request.startedAt, deps.world.now()));
};

/** Somebody ended the run before it had a process. */
export const endedBeforeSpawn = (cause: EndCause, { startedAt }: OneShotRequest, { world }: OneShotDeps): RunFields => {
  const { exit_code: _none, ...fields } = endFields(
    { exit: { code: null, signal: null }, cause, judged_by_turns: false, model_calls: 0 },
    startedAt,
    world.now(),
  );
  return fields;
};

/**
 * The closed line is on stable storage, or queued, before anybody hears of the end. The trace is sealed once its rows are
 * stored, which nobody waits for longer than for a line. A resident that ended by itself waits for neither: its line keeps its
 * place in the queue before that of the next start.
 */
export const close = async (
  request: OneShotRequest,
  deps: OneShotDeps,
  log: RunFile,
  fields: RunFields,
  rows?: TraceStore,
  waits = true,
): Promise<RunFields> => {
  const { key } = request;
  await log.close();
  await Promise.race([rows?.drained(), new Promise((resolve) => setTimeout(resolve, SYNC_BOUND).unref())]);
  const written = deps.journal.append('closed', key, fields);
  if (waits) await written;
  const sealed = written.then(() => sealWhenStored(key, deps, rows));
  if (waits) await Promise.race([sealed, new Promise((resolve) => setTimeout(resolve, SYNC_BOUND).unref())]);
  deps.world.log.info({
    event: 'run_closed',
    harness: key.harness,
    run: key.run_id,
    outcome: fields.outcome ?? 'unknown',
    ...(fields.reason === undefined ? {} : { reason: fields.reason }),
    ...(fields.duration_ms === undefined ? {} : { duration_ms: fields.duration_ms }),
  });
  return fields;
};

const sealWhenStored = async (key: RunKey, { store, world }: OneShotDeps, rows?: TraceStore): Promise<void> => {
  await rows?.drained();
  await store.write('sealTrace', { ...key, at: formatInstant(world.now()) }).catch(() => undefined);
};

interface ProcessEnd {
  readonly exit: ProcessExit;
  readonly cause?: EndCause;
}

/** The fields of the closed line of a run that had a process. */
export const closedFields = (
  { startedAt, harness }: OneShotRequest,
  { world }: OneShotDeps,
  prepared: PreparedStart,
  summary: TraceSummary | undefined,
  { exit, cause }: ProcessEnd,
): RunFields => {
  const usage = usageFields(summary?.sessions ?? [], summary?.errors ?? {});
  const end = {
    exit,
    ...(cause === undefined ? {} : { cause }),
    ...(summary?.turns === undefined ? {} : { turns: summary.turns }),
    judged_by_turns: prepared.adapter?.family === 'claude-code',
    model_calls: usage.model_calls ?? 0,
  };
  // A resident may well sit there unasked.
  const missing = harness.kind === 'oneshot' && summary?.sessions.length === 0 ? { trace_missing: true } : {};
  return { ...endFields(end, startedAt, world.now()), ...usage, ...missing };
};
