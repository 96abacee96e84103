// `harness store restore <file> [--yes]`: a copy takes the store's place; only with the daemon down, and not by accident.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { formatSize } from '../../core/kernel/size.js';
import { makePrivateDirectory } from '../../shell/files/state-paths.js';
import { type Restored, type StagedRestore, stageRestore } from '../../shell/store/offline.js';
import { withStateLock } from '../own-store.js';
import { renderMoment } from '../render/moment.js';
import { CliFailure, type Session } from '../session.js';

export const runStoreRestore = async (session: Session, given: string, yes: boolean): Promise<void> => {
  const file = resolve(given);
  const { store } = session.paths;
  if (!yes && !isTerminal())
    throw new CliFailure(
      'not_confirmed',
      `restoring replaces ${store}: without a terminal to ask on, say --yes`,
      `harness store restore ${given} --yes`,
    );
  makePrivateDirectory(session.paths.state);
  const restored = await withStateLock(session, async () => {
    const staged = stageRestore(store, file);
    try {
      if (yes || (await confirmed(session, file, staged))) return staged.commit();
    } catch (error) {
      staged.discard();
      throw error;
    }
    staged.discard();
    throw new CliFailure('not_confirmed', 'nothing was changed');
  });
  tell(session, file, restored);
};

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Anything but a yes is a no, an end of input included. */
const confirmed = async ({ paths }: Session, file: string, { version, bytes, runs, latest }: StagedRestore): Promise<boolean> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((answer) => lines.once('close', () => answer('')));
  process.stderr.write(`${file}: version ${version}, ${formatSize(bytes)}, ${runs} runs, the last of ${renderMoment(latest)}\n`);
  const what = existsSync(paths.store) ? `replace ${paths.store} by it, and keep the old one under backups` : `put it at ${paths.store}`;
  const answer = await Promise.race([lines.question(`${what}? [y/N] `), closed]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
};

const tell = (session: Session, file: string, { replaced, carried }: Restored): void => {
  const { store } = session.paths;
  const forgotten = carried?.forgotten.length ?? 0;
  if (replaced !== undefined && carried === undefined)
    session.notice('the replaced store could not be read: what was forgotten since the copy was made would have to be forgotten again');
  if (session.json) {
    const kept = replaced === undefined ? {} : { replaced };
    return void session.print(JSON.stringify({ store, from: file, ...kept, forgotten_again: forgotten }));
  }
  session.print(`${store} is now what ${file} was`);
  if (replaced !== undefined) session.print(`the replaced store is ${replaced}`);
  if (forgotten > 0) session.print(`forgotten episodes stay forgotten: ${forgotten}`);
  session.print('next: harness daemon, or start the service again');
};
