// `harness daemon`: runs in the foreground until it is told to stop; a service manager or a terminal keeps it.
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type Log, openLogFile, productionLog } from '../../shell/daemon/log.js';
import { type StartFailure, startDaemon } from '../../shell/daemon/main.js';
import { productionWorld } from '../../shell/daemon/world.js';
import { storeWorkerScript } from '../../shell/store/worker-script.js';
import { CliFailure, type Session } from '../session.js';
import { STOP_GRACE_MS } from '../stop-grace.js';
import { VERSION } from '../version.js';

/** Resolves after a clean stop. SIGTERM and SIGINT stop, SIGHUP reloads. */
export const runDaemon = async ({ paths, configFile }: Session, logFile: string | undefined): Promise<void> => {
  const log = openLog(logFile);
  const world = productionWorld(log);
  // A signal that comes while the daemon starts is heard too: it would end the process with runs already under way.
  const signalled = nextStopSignal();
  let reload = (): void => undefined;
  process.on('SIGHUP', () => reload());
  const started = await startDaemon({
    version: VERSION,
    configFile,
    paths,
    storeWorker: storeWorkerScript(),
    world,
    stopGraceMs: STOP_GRACE_MS,
  });
  if (E.isLeft(started)) {
    const { code, lines } = started.left;
    // Without a file the words on standard error are all that is needed.
    if (logFile !== undefined) log.error({ event: 'daemon_refused', code, error: lines.join('\n') });
    throw new CliFailure(code, lines.join('\n'), hintOf(code));
  }
  reload = started.right.reload;
  const end = await Promise.race([signalled, started.right.damaged.catch(faultOf), nextFault(log)]);
  log.info({ event: 'daemon_stopping', signal: typeof end === 'string' ? end : end.code });
  await started.right.stop();
  log.info({ event: 'daemon_stopped' });
  if (typeof end !== 'string') throw new CliFailure(end.code, end.lines.join('\n'));
};

const openLog = (file: string | undefined): Log => {
  if (file === undefined) return productionLog();
  try {
    return productionLog(openLogFile(resolve(file)));
  } catch (error) {
    throw new CliFailure('log_unwritable', `the log file ${file} cannot be opened: ${error instanceof Error ? error.message : error}`);
  }
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
