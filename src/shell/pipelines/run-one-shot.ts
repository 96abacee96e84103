// One run of a one-shot, from its opened line to its sealed trace:
// prepare → exec → read the streams → exit → end what is left → close the record → seal the trace.
import { realpathSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import type { AdapterTable } from '../../core/adapter/declaration.js';
import type { HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import { type EndCause, endFields, type ProcessExit, spawnFailure } from '../../core/run/close.js';
import type { RunFields, RunKey } from '../../core/run/record.js';
import { SYNC_BOUND } from '../../core/run/retry.js';
import { usageFields } from '../../core/run/usage.js';
import type { World } from '../daemon/world.js';
import { sampleGit } from '../git/git.js';
import type { Store } from '../store/operations.js';
import { type Child, isStartError, type StartError, startChild } from '../supervise/child.js';
import type { Journal } from '../supervise/journal.js';
import { type PreparedStart, prepareStart } from '../supervise/prepare.js';
import { descendantsOf, killSurvivors } from '../supervise/process-tree.js';
import { openRunFile, type RunFile } from '../supervise/run-log.js';
import { superviseProcess } from '../supervise/supervise-process.js';
import { modelBesideStream, readStream } from '../traces/readers.js';
import { recordTrace, type TraceRecorder, type TraceSummary } from '../traces/trace-recorder.js';
import { openTraceStore, type TraceStore } from '../traces/trace-store.js';

/** A record is behind by at most this much while its run goes on (SPEC-0022 REQ-6). */
const CHECKPOINT_MS = 30_000;

export interface OneShotRequest {
  readonly key: RunKey;
  readonly harness: HarnessConfig;
  readonly adapters: Readonly<Record<string, AdapterTable>>;
  /** The operator's own verify patterns. */
  readonly verify: readonly string[];
  readonly trigger: string;
  readonly startedAt: number;
  readonly workdir: string;
  readonly jobs: string;
  /** Resolves when somebody ends the run. */
  readonly ended: Promise<EndCause>;
  /** Marks every process of the run. */
  readonly spawnId: string;
  readonly onSpawn: (pid: number) => void;
}

export interface OneShotDeps {
  readonly journal: Journal;
  readonly store: Store;
  readonly world: World;
  readonly stopGraceMs: number;
}

/** Runs to the end and returns the fields of the closed line. Never rejects for anything the run itself did. */
export const runOneShot = async (request: OneShotRequest, deps: OneShotDeps): Promise<RunFields> => {
  const { key } = request;
  const log = openFile(request, deps, 'log');
  const prepared = prepareStart(request, deps.world);
  const early = await Promise.race([request.ended, Promise.resolve(undefined)]);
  if (early !== undefined) return close(request, deps, log, endedBeforeSpawn(early, request, deps));
  if (E.isLeft(prepared)) return failStart(request, deps, log, prepared.left);
  const trace = traceOf(request, deps, prepared.right, log);
  const child = await startChild(prepared.right.spec);
  if (isStartError(child)) return failStart(request, deps, log, child);
  request.onSpawn(child.pid);
  deps.world.log.info({ event: 'run_started', harness: key.harness, run: key.run_id, pid: child.pid });
  try {
    return await superviseRun(request, deps, prepared.right, child, log, trace);
  } catch (error) {
    // A fault of ours must not leave a process that nobody watches.
    await killSurvivors(child.pid, await descendantsOf(child.pid), request.spawnId);
    throw error;
  }
};

/** A file that fills no more is told once; the run goes on without it. */
const openFile = ({ jobs, key }: OneShotRequest, { world }: OneShotDeps, kind: 'log' | 'stream.jsonl'): RunFile =>
  openRunFile(jobs, `${key.run_id}.${kind}`, (error) =>
    world.log.warn({ event: 'run_file_failed', harness: key.harness, run: key.run_id, file: kind, error }),
  );

interface OpenTrace {
  readonly recorder: TraceRecorder;
  readonly rows?: TraceStore;
}

const superviseRun = async (
  request: OneShotRequest,
  deps: OneShotDeps,
  prepared: PreparedStart,
  child: Child,
  log: RunFile,
  trace: OpenTrace | undefined,
): Promise<RunFields> => {
  const { key, harness } = request;
  const checkpoints = trace === undefined ? undefined : startCheckpoints(key, trace.recorder, deps);
  const end = await superviseProcess(child, {
    spawnId: request.spawnId,
    timeoutMs: harness.timeout,
    graceMs: deps.stopGraceMs,
    ended: request.ended,
    log,
    onFault: (error) => deps.world.log.error({ event: 'trace_fault', harness: key.harness, run: key.run_id, error: String(error) }),
    ...(trace === undefined ? {} : { onLine: trace.recorder.line }),
  });
  await checkpoints?.stop();
  if (end.exit.signal !== null) await log.write(`harness: ended by ${end.exit.signal}\n`);
  if (end.survivors > 0) deps.world.log.warn({ event: 'run_survivors', harness: key.harness, run: key.run_id, killed: end.survivors });
  const family = prepared.adapter?.family;
  const summary = await trace?.recorder.finish((session) =>
    family === undefined ? Promise.resolve(undefined) : modelBesideStream(family, prepared.spec.env, session),
  );
  return close(request, deps, log, closedFields(request, deps, prepared, summary, end), trace?.rows);
};

/** Writes what the run used so far to the ledger, at most every half minute and only when it changed. */
const startCheckpoints = (key: RunKey, trace: TraceRecorder, { journal }: OneShotDeps): { readonly stop: () => Promise<void> } => {
  let last = '';
  let writing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const { sessions, errors } = trace.soFar();
    const fields = usageFields(sessions, errors);
    if (sessions.length === 0 || JSON.stringify(fields) === last) return;
    last = JSON.stringify(fields);
    writing = journal.append('updated', key, fields);
  }, CHECKPOINT_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await writing;
    },
  };
};

interface ProcessEnd {
  readonly exit: ProcessExit;
  readonly cause?: EndCause;
}

const closedFields = (
  { startedAt }: OneShotRequest,
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
  const missing = prepared.adapter !== undefined && (summary?.sessions.length ?? 0) === 0 ? { trace_missing: true } : {};
  return { ...endFields(end, startedAt, world.now()), ...usage, ...missing };
};

const traceOf = (request: OneShotRequest, deps: OneShotDeps, { adapter }: PreparedStart, log: RunFile): OpenTrace | undefined => {
  if (adapter === undefined) return undefined;
  const { key, verify, harness } = request;
  const workdir = realWorkdir(request.workdir);
  const rows = harness.record_trace ? { rows: openTraceStore(key, deps.store, deps.world) } : {};
  const source = {
    key,
    adapter: adapter.name,
    reading: readStream(adapter.family, workdir, verify),
    workdir,
    stream: openFile(request, deps, 'stream.jsonl'),
    log,
    ...rows,
  };
  return { recorder: recordTrace(source, (cwd) => sampleGit(cwd, deps.world), deps.world), ...rows };
};

/** A child that asks where it is gets the real path. */
const realWorkdir = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const failStart = async (request: OneShotRequest, deps: OneShotDeps, log: RunFile, error: StartError): Promise<RunFields> => {
  const { key } = request;
  deps.world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: error.message });
  await log.write(`harness: start failed: ${error.message}\n`);
  return close(request, deps, log, spawnFailure(request.startedAt, deps.world.now()));
};

const endedBeforeSpawn = (cause: EndCause, { startedAt }: OneShotRequest, { world }: OneShotDeps): RunFields => {
  const { exit_code: _none, ...fields } = endFields(
    { exit: { code: null, signal: null }, cause, judged_by_turns: false, model_calls: 0 },
    startedAt,
    world.now(),
  );
  return fields;
};

/**
 * The closed line is on stable storage, or queued, before anybody hears of the end. The trace is sealed once its rows are
 * stored, which nobody waits for longer than for a line.
 */
const close = async (
  request: OneShotRequest,
  deps: OneShotDeps,
  log: RunFile,
  fields: RunFields,
  rows?: TraceStore,
): Promise<RunFields> => {
  const { key } = request;
  await log.close();
  await Promise.race([rows?.drained(), new Promise((resolve) => setTimeout(resolve, SYNC_BOUND).unref())]);
  await deps.journal.append('closed', key, fields);
  const sealed = sealWhenStored(key, deps, rows);
  await Promise.race([sealed, new Promise((resolve) => setTimeout(resolve, SYNC_BOUND).unref())]);
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
