// One life of a resident's process, from its opened line to its sealed trace:
// prepare → exec on its terminal, its transcripts followed → exit → end what is left → their last read → close the record → seal the trace.
import * as E from 'fp-ts/lib/Either.js';
import type { RunFields } from '../../core/run/record.js';
import { isStartError } from '../supervise/child.js';
import { close, closedFields, endedBeforeSpawn, failStart } from '../supervise/close-run.js';
import { openDurableLog } from '../supervise/durable-log.js';
import type { OneShotDeps, OneShotRequest } from '../supervise/one-shot.js';
import { type PreparedStart, prepareStart } from '../supervise/prepare.js';
import { descendantsOf, killSurvivors } from '../supervise/process-tree.js';
import { startOnTerminal, type TerminalChild } from '../supervise/pty.js';
import type { RunFile } from '../supervise/run-log.js';
import { superviseTerminal } from '../supervise/supervise-terminal.js';
import type { Terminal } from '../supervise/terminal.js';
import { openTrace, type RunTrace } from '../traces/run-trace.js';

export interface ResidentRequest extends OneShotRequest {
  readonly terminal: Terminal;
  /** A budget must not be overrun unseen: then the end waits for its line even when it came by itself. */
  readonly budgeted: boolean;
}

/** Runs to the end and returns the fields of the closed line. Never rejects for anything the process itself did. */
export const runResident = async (request: ResidentRequest, deps: OneShotDeps): Promise<RunFields> => {
  const { key, terminal } = request;
  const log = openDurableLog(request.jobs, (error) =>
    deps.world.log.warn({ event: 'run_file_failed', harness: key.harness, run: key.run_id, file: 'log', error }),
  );
  const prepared = prepareStart(request, deps.world);
  const early = await Promise.race([request.ended, Promise.resolve(undefined)]);
  if (early !== undefined) return close(request, deps, log, endedBeforeSpawn(early, request, deps));
  if (E.isLeft(prepared)) return failStart(request, deps, log, prepared.left);
  const trace = openTrace(request, deps, prepared.right, log);
  const child = await startOnTerminal(prepared.right.spec, terminal.size());
  if (isStartError(child)) {
    trace?.abandon();
    return failStart(request, deps, log, child);
  }
  await log.write(`harness: run ${key.run_id} started (${request.trigger}, pid ${child.pid})\n`);
  request.onSpawn(child.pid);
  deps.world.log.info({ event: 'run_started', harness: key.harness, run: key.run_id, pid: child.pid });
  trace?.begin();
  try {
    return await superviseLife(request, deps, prepared.right, child, log, trace);
  } catch (error) {
    trace?.abandon();
    // A fault of ours must not leave a process that nobody watches.
    await killSurvivors(child.pid, await descendantsOf(child.pid), request.spawnId);
    throw error;
  }
};

const superviseLife = async (
  request: ResidentRequest,
  deps: OneShotDeps,
  prepared: PreparedStart,
  child: TerminalChild,
  log: RunFile,
  trace: RunTrace | undefined,
): Promise<RunFields> => {
  const { key, spawnId, ended, terminal } = request;
  const end = await superviseTerminal(child, { spawnId, graceMs: deps.stopGraceMs, ended, log, terminal });
  if (end.survivors > 0) deps.world.log.warn({ event: 'run_survivors', harness: key.harness, run: key.run_id, killed: end.survivors });
  const how = end.exit.signal === null ? `exit code ${end.exit.code}` : `ended by ${end.exit.signal}`;
  await log.write(`harness: run ${key.run_id}: ${how}\n`);
  terminal.notice(`${key.harness}: ${how}`);
  const fields = closedFields(request, deps, prepared, await trace?.finish(), end);
  return close(request, deps, log, fields, trace?.rows, end.cause !== undefined || request.budgeted);
};
