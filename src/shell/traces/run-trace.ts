// Opens the trace of a run: of a client that streams, from its standard output; of any other whose transcripts are known, from
// those. Keeps the run's record in the ledger from falling behind.
import { FAMILIES, type Family, STREAMS } from '../../core/adapter/declaration.js';
import type { RunWindow } from '../../core/run/attribution.js';
import type { RunKey } from '../../core/run/record.js';
import { usageFields } from '../../core/run/usage.js';
import { sampleGit } from '../git/git.js';
import type { StreamLine } from '../supervise/line-stream.js';
import { type OneShotDeps, type OneShotRequest, openFile } from '../supervise/one-shot.js';
import type { PreparedStart } from '../supervise/prepare.js';
import type { RunFile } from '../supervise/run-log.js';
import { modelBesideStream, type Reading, readStream } from './readers.js';
import { recordTrace, type TraceRecorder, type TraceSource, type TraceSummary } from './trace-recorder.js';
import { openTraceStore, type TraceStore } from './trace-store.js';
import { CrushTranscripts } from './transcripts/crush-transcripts.js';
import { FileTranscripts } from './transcripts/file-transcripts.js';
import { judgeFor } from './transcripts/session-judge.js';
import { openTail, type Tail } from './transcripts/tail.js';
import { realPath, storeOf, writesAbove } from './transcripts/transcript-store.js';

/** A record is behind by at most this much while its run goes on (SPEC-0022 REQ-6). */
const CHECKPOINT_MS = 30_000;

export interface RunTrace {
  readonly rows?: TraceStore;
  /** Takes the lines of standard output; absent where the trace comes from elsewhere. */
  readonly onLine?: (line: StreamLine) => Promise<void>;
  /** The client runs. */
  readonly begin: () => void;
  /** It was started again within the run. */
  readonly again: () => void;
  /** Its last process is gone. */
  readonly finish: () => Promise<TraceSummary>;
  /** It never had a process, or nobody can tell how that ended. */
  readonly abandon: () => void;
}

/** Absent where nobody knows what the client does: for a `command` that names no transcripts. */
export const openTrace = (request: OneShotRequest, deps: OneShotDeps, prepared: PreparedStart, log: RunFile): RunTrace | undefined => {
  const { key, harness } = request;
  const { adapter } = prepared;
  const family = adapter?.family ?? FAMILIES.find((each) => each === harness.transcripts);
  if (family === undefined) return undefined;
  const window = windowOf(request, family, prepared);
  const rows = harness.record_trace ? { rows: openTraceStore(key, deps.store, deps.world) } : {};
  const streams = harness.kind === 'oneshot' && adapter !== undefined && STREAMS[family];
  const base = { key, adapter: adapter?.name ?? family, workdir: window.workdir, ...rows };
  deps.windows.open(window);
  const trace = streams
    ? traceStream(
        request,
        deps,
        family,
        { ...base, source: 'stream', onSession: (id) => deps.windows.claim(window.store, id) },
        log,
        prepared,
      )
    : traceTranscripts(request, deps, family, { ...base, source: 'transcript' }, window, prepared);
  return { ...trace, ...rows };
};

/** Every run that may write transcripts is known to the fleet while it is open, also those that are traced by their streams. */
const windowOf = ({ key, harness, workdir, startedAt }: OneShotRequest, family: Family, { spec }: PreparedStart): RunWindow => ({
  ...key,
  store: storeOf(family, spec.env),
  workdir: realPath(workdir),
  declared: harness.workdir !== undefined,
  writesAbove: writesAbove(family),
  started_at: startedAt,
});

const traceStream = (
  request: OneShotRequest,
  deps: OneShotDeps,
  family: Family,
  source: TraceSource,
  log: RunFile,
  { spec }: PreparedStart,
): RunTrace => {
  // Each process of the run has a stream of its own.
  const reading = (): Reading => readStream(family, source.workdir, request.verify);
  const streaming = { reading: reading(), file: openFile(request, deps, 'stream.jsonl'), log };
  const recorder = recorderOf({ ...source, streaming }, deps);
  const checkpoints = keepCheckpoints(request.key, recorder, deps);
  return {
    onLine: recorder.line,
    begin: checkpoints.start,
    again: () => recorder.again(reading()),
    finish: async () => {
      deps.windows.close(request.key, deps.world.now());
      await checkpoints.stop();
      return recorder.finish((session) => modelBesideStream(family, spec.env, session));
    },
    abandon: () => {
      deps.windows.close(request.key, deps.world.now());
      void checkpoints.stop();
      void streaming.file.close();
    },
  };
};

const traceTranscripts = (
  request: OneShotRequest,
  deps: OneShotDeps,
  family: Family,
  source: TraceSource,
  window: RunWindow,
  prepared: PreparedStart,
): RunTrace => {
  const recorder = recorderOf(source, deps);
  const checkpoints = keepCheckpoints(request.key, recorder, deps);
  const tail = followTranscripts(request, deps, family, window, prepared, recorder);
  return {
    begin: () => {
      checkpoints.start();
      tail.begin();
    },
    again: () => undefined,
    finish: async () => {
      deps.windows.close(request.key, deps.world.now());
      if (!(await tail.finish())) recorder.cutShort();
      await checkpoints.stop();
      return recorder.finish(async () => undefined);
    },
    abandon: () => {
      deps.windows.close(request.key, deps.world.now());
      void checkpoints.stop();
      void tail.finish();
    },
  };
};

const followTranscripts = (
  { key, verify }: OneShotRequest,
  { store, world, windows }: OneShotDeps,
  family: Family,
  window: RunWindow,
  { spec }: PreparedStart,
  recorder: TraceRecorder,
): Tail => {
  const judge = judgeFor(window, windows, store, world.log);
  const follower =
    family === 'crush'
      ? new CrushTranscripts(window, { windows, judge, store, verify }, recorder)
      : new FileTranscripts({ family, env: spec.env, window, verify, now: world.now }, judge, recorder);
  const { harness, run_id: run } = key;
  const settling = {
    look: (all: boolean) => follower.look(all),
    finish: () => {
      follower.finish();
      judge.settle();
    },
  };
  return openTail(settling, (error) => world.log.error({ event: 'trace_fault', harness, run, error: String(error) }));
};

const recorderOf = (source: TraceSource, { world }: OneShotDeps): TraceRecorder =>
  recordTrace(source, (cwd) => sampleGit(cwd, world), world);

interface Checkpoints {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** Writes what the run used so far to the ledger, at most every half minute and only when it changed. */
const keepCheckpoints = (key: RunKey, trace: TraceRecorder, { journal }: OneShotDeps): Checkpoints => {
  let last = '';
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    const { sessions, errors } = trace.soFar();
    const fields = usageFields(sessions, errors);
    if (sessions.length === 0 || JSON.stringify(fields) === last) return;
    last = JSON.stringify(fields);
    writing = journal.append('updated', key, fields);
  };
  return {
    start: () => {
      timer = setInterval(write, CHECKPOINT_MS);
    },
    stop: async () => {
      clearInterval(timer);
      await writing;
    },
  };
};
