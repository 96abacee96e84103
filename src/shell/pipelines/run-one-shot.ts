// One run of a one-shot, from its opened line to its sealed trace:
// prepare → exec → read the streams → exit → end what is left → close the record → seal the trace.
import * as E from 'fp-ts/lib/Either.js';
import type { RunFields } from '../../core/run/record.js';
import { type Child, isStartError, startChild } from '../supervise/child.js';
import { close, closedFields, endedBeforeSpawn, failStart } from '../supervise/close-run.js';
import { type OneShotDeps, type OneShotRequest, openFile } from '../supervise/one-shot.js';
import { type PreparedStart, prepareStart } from '../supervise/prepare.js';
import { descendantsOf, killSurvivors } from '../supervise/process-tree.js';
import type { RunFile } from '../supervise/run-log.js';
import { superviseProcess } from '../supervise/supervise-process.js';
import { modelBesideStream } from '../traces/readers.js';
import { type OpenTrace, startCheckpoints, traceOf } from '../traces/run-trace.js';

export type { OneShotDeps } from '../supervise/one-shot.js';

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
