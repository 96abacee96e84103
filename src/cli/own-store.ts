// The store in this process's own hands, while no daemon has it.
import { existsSync, readFileSync } from 'node:fs';
import { lockState } from '../shell/daemon/state-lock.js';
import { StoreError } from '../shell/store/offline.js';
import { CliFailure, type Session } from './session.js';

/** Does the work under the state's lock, so that no daemon starts meanwhile. Fails with `daemon_running` when one has it. */
export const withStateLock = async <A>({ paths }: Session, work: () => A | Promise<A>): Promise<A> => {
  const unlock = lockState(paths.lock);
  if (unlock === undefined)
    throw new CliFailure('daemon_running', `a daemon${holder(paths.pid)} uses ${paths.state}: stop it first`, 'harness service status');
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? new CliFailure(error.code, error.message) : error;
  } finally {
    unlock();
  }
};

export const requireStore = ({ paths }: Session): void => {
  if (!existsSync(paths.store)) throw new CliFailure('no_store', `there is no store at ${paths.store} yet`, 'harness daemon');
};

const holder = (pidFile: string): string => {
  try {
    return ` (pid ${Number(readFileSync(pidFile, 'utf8'))})`;
  } catch {
    return '';
  }
};
