// `harness daemon`: runs in the foreground until it is told to stop; a service manager or a terminal keeps it.
import * as E from 'fp-ts/lib/Either.js';
import { type Log, productionLog } from '../../shell/daemon/log.js';
import { type StartFailure, startDaemon } from '../../shell/daemon/main.js';
import { productionWorld } from '../../shell/daemon/world.js';
import { storeWorkerScript } from '../../shell/store/worker-script.js';
import { CliFailure, type Session } from '../session.js';
import { VERSION } from '../version.js';

const STOP_GRACE_MS = 10_000;

/** Resolves after a clean stop. SIGTERM and SIGINT stop, SIGHUP reloads. */
export const runDaemon = async ({ paths, configFile }: Session): Promise<void> => {
  const log = productionLog();
  const world = productionWorld(log);
  const started = await startDaemon({
    version: VERSION,
    configFile,
    paths,
    storeWorker: storeWorkerScript(),
    world,
    stopGraceMs: STOP_GRACE_MS,
  });
  if (E.isLeft(started)) throw new CliFailure(started.left.code, started.left.lines.join('\n'), hintOf(started.left.code));
  process.on('SIGHUP', () => started.right.reload());
  const end = await Promise.race([nextStopSignal(), started.right.damaged.catch(faultOf), nextFault(log)]);
  log.info({ event: 'daemon_stopping', signal: typeof end === 'string' ? end : end.code });
  await started.right.stop();
  log.info({ event: 'daemon_stopped' });
  if (typeof end !== 'string') throw new CliFailure(end.code, end.lines.join('\n'));
};

const faultOf = (error: unknown): StartFailure => ({
  code: 'daemon_fault',
  lines: [error instanceof Error ? error.message : String(error)],
});

/** A fault that nobody caught: it is logged, and the daemon stops in order instead of dying with every run open. */
const nextFault = (log: Log): Promise<StartFailure> =>
  new Promise((resolve) => {
    const stop = (error: unknown): void => {
      const message = error instanceof Error ? error.message : String(error);
      log.error({ event: 'daemon_fault', error: error instanceof Error ? (error.stack ?? message) : message });
      resolve(faultOf(error));
    };
    process.on('uncaughtException', stop);
    process.on('unhandledRejection', stop);
  });

const nextStopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });

const hintOf = (code: string): string => (code === 'config_invalid' ? 'harness config check' : '');
