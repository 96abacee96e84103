// One run of a one-shot, from its opened line to its sealed trace:
// prepare → exec → read the streams → exit → end what is left → (start again after a failure) → close the record → seal the trace.
import * as E from 'fp-ts/lib/Either.js';
import type { RunFields } from '../../core/run/record.js';
import { GIVE_UP_AFTER, restartDelay, startsAgain } from '../../core/run/restart.js';
import { type Child, isStartError, startChild } from '../supervise/child.js';
import { close, closedFields, endedBeforeSpawn, failStart } from '../supervise/close-run.js';
import { type OneShotDeps, type OneShotRequest, openFile } from '../supervise/one-shot.js';
import { prepareStart } from '../supervise/prepare.js';
import { descendantsOf, killSurvivors } from '../supervise/process-tree.js';
import type { RunFile } from '../supervise/run-log.js';
import { type SupervisedEnd, superviseProcess } from '../supervise/supervise-process.js';
import { openTrace, type RunTrace } from '../traces/run-trace.js';

export type { OneShotDeps } from '../supervise/one-shot.js';

/** Runs to the end and returns the fields of the closed line. Never rejects for anything the run itself did. */
export const runOneShot = async (request: OneShotRequest, deps: OneShotDeps): Promise<RunFields> => {
  const log = openFile(request, deps, 'log');
  const prepared = prepareStart(request, deps.world);
  const early = await Promise.race([request.ended, Promise.resolve(undefined)]);
  if (early !== undefined) return close(request, deps, log, endedBeforeSpawn(early, request, deps));
  if (E.isLeft(prepared)) return failStart(request, deps, log, prepared.left);
  const trace = openTrace(request, deps, prepared.right, log);
  const child = await startChild(prepared.right.spec);
  if (isStartError(child)) {
    trace?.abandon();
    return failStart(request, deps, log, child);
  }
  trace?.begin();
  try {
    const end = await superviseRun(request, deps, child, log, trace);
    const summary = await trace?.finish();
    return await close(request, deps, log, closedFields(request, deps, prepared.right, summary, end), trace?.rows);
  } catch (error) {
    trace?.abandon();
    throw error;
  }
};

/** A run that may start again after a failure does so under the same record, until it succeeds or is given up. */
const superviseRun = async (
  request: OneShotRequest,
  deps: OneShotDeps,
  first: Child,
  log: RunFile,
  trace: RunTrace | undefined,
): Promise<SupervisedEnd> => {
  const { restart, restart_delay, timeout } = request.harness;
  const until = deps.world.now() + timeout;
  const supervise = (child: Child): Promise<SupervisedEnd> =>
    superviseChild({ ...request, timeoutMs: Math.max(1, until - deps.world.now()) }, deps, child, log, trace);
  let end = await supervise(first);
  for (let failures = 1; failures < GIVE_UP_AFTER; failures += 1) {
    if (end.cause !== undefined || !startsAgain(restart, end.exit.code === 0)) return end;
    const delay = restartDelay(restart_delay, failures);
    await log.write(`harness: failed with exit code ${end.exit.code ?? end.exit.signal}, starting again in ${delay} ms\n`);
    const cause = await Promise.race([request.ended, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), delay))]);
    if (cause !== undefined) return { ...end, cause };
    const child = await startAgain(request, deps, log, trace);
    if (child === undefined) return end;
    end = await supervise(child);
  }
  return end;
};

const startAgain = async (
  request: OneShotRequest,
  deps: OneShotDeps,
  log: RunFile,
  trace: RunTrace | undefined,
): Promise<Child | undefined> => {
  const prepared = prepareStart(request, deps.world);
  const child = E.isLeft(prepared) ? prepared.left : await startChild(prepared.right.spec);
  if (isStartError(child)) {
    await log.write(`harness: start failed: ${child.message}\n`);
    return undefined;
  }
  trace?.again();
  return child;
};

/** The timeout is the run's, whatever number of processes it takes. */
const superviseChild = async (
  request: OneShotRequest & { readonly timeoutMs: number },
  deps: OneShotDeps,
  child: Child,
  log: RunFile,
  trace: RunTrace | undefined,
): Promise<SupervisedEnd> => {
  const { key, spawnId } = request;
  request.onSpawn(child.pid);
  deps.world.log.info({ event: 'run_started', harness: key.harness, run: key.run_id, pid: child.pid });
  try {
    const end = await superviseProcess(child, {
      spawnId,
      timeoutMs: request.timeoutMs,
      graceMs: deps.stopGraceMs,
      ended: request.ended,
      log,
      onFault: (error) => deps.world.log.error({ event: 'trace_fault', harness: key.harness, run: key.run_id, error: String(error) }),
      ...(trace?.onLine === undefined ? {} : { onLine: trace.onLine }),
    });
    if (end.exit.signal !== null) await log.write(`harness: ended by ${end.exit.signal}\n`);
    if (end.survivors > 0) deps.world.log.warn({ event: 'run_survivors', harness: key.harness, run: key.run_id, killed: end.survivors });
    return end;
  } catch (error) {
    // A fault of ours must not leave a process that nobody watches.
    await killSurvivors(child.pid, await descendantsOf(child.pid), spawnId);
    throw error;
  }
};
