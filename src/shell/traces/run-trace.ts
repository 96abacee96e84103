// Opens the trace of a run whose client streams, and keeps its record in the ledger from falling behind.
import { realpathSync } from 'node:fs';
import { STREAMS } from '../../core/adapter/declaration.js';
import type { RunKey } from '../../core/run/record.js';
import { usageFields } from '../../core/run/usage.js';
import { sampleGit } from '../git/git.js';
import { type OneShotDeps, type OneShotRequest, openFile } from '../supervise/one-shot.js';
import type { PreparedStart } from '../supervise/prepare.js';
import type { RunFile } from '../supervise/run-log.js';
import { type Reading, readStream, SILENT } from './readers.js';
import { recordTrace, type TraceRecorder } from './trace-recorder.js';
import { openTraceStore, type TraceStore } from './trace-store.js';

/** A record is behind by at most this much while its run goes on (SPEC-0022 REQ-6). */
const CHECKPOINT_MS = 30_000;

export interface OpenTrace {
  readonly recorder: TraceRecorder;
  readonly rows?: TraceStore;
}

/** A reader for one process of the run: each has a stream of its own. */
export const readingOf = ({ workdir, verify }: OneShotRequest, { adapter }: PreparedStart): Reading =>
  adapter === undefined ? SILENT : readStream(adapter.family, realWorkdir(workdir), verify);

/** Absent for `command` harnesses, whose output nobody reads as a trace. */
export const traceOf = (request: OneShotRequest, deps: OneShotDeps, prepared: PreparedStart, log: RunFile): OpenTrace | undefined => {
  const { adapter } = prepared;
  if (adapter === undefined || !STREAMS[adapter.family]) return undefined;
  const { key, harness } = request;
  const workdir = realWorkdir(request.workdir);
  const rows = harness.record_trace ? { rows: openTraceStore(key, deps.store, deps.world) } : {};
  const source = {
    key,
    adapter: adapter.name,
    reading: readingOf(request, prepared),
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

/** Writes what the run used so far to the ledger, at most every half minute and only when it changed. */
export const startCheckpoints = (key: RunKey, trace: TraceRecorder, { journal }: OneShotDeps): { readonly stop: () => Promise<void> } => {
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
