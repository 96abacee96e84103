// `harness service install [--no-start] [--force]`: writes the definition and has the service manager take it up.

import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellLine } from '../../core/kernel/shell-line.js';
import { makePrivateDirectory } from '../../shell/files/state-paths.js';
import { carryOut, type OwnService, ownService, pastedAll, readDefinition } from '../own-service.js';
import { CliFailure, type Session } from '../session.js';

export interface InstallFlags {
  readonly start: boolean;
  readonly force: boolean;
}

export const runServiceInstall = (session: Session, { start, force }: InstallFlags, service: OwnService = ownService(session)): void => {
  const { manager, text } = service;
  const before = readDefinition(manager.file);
  if (before !== undefined && !before.ours && !force)
    throw new CliFailure('foreign_service', `${manager.file} is there and was not written by Harness`, 'harness service install --force');
  const wasActive = before !== undefined && manager.state().active === 'active';
  const changed = before?.text !== text;
  if (changed) write(manager.file, text);
  makePrivateDirectory(session.paths.state);
  const { trouble, left } = carryOut(manager.takeUp(start), service.user);
  const restart = changed && wasActive ? manager.restart() : [];
  const reply = { manager: manager.name, file: manager.file, changed, started: start && trouble === '', trouble, next: pastedAll(left) };
  session.print(session.json ? JSON.stringify(reply) : summary(service, reply));
  if (restart.length > 0) session.notice(`the daemon still runs as it was started; to restart it: ${pastedAll(restart)}`);
  advise(session, service);
};

interface Installed {
  readonly file: string;
  readonly changed: boolean;
  readonly started: boolean;
  readonly trouble: string;
  readonly next: string;
}

const summary = ({ manager }: OwnService, { file, changed, started, trouble, next }: Installed): string => {
  const written = changed ? `wrote ${file}` : `${file} is up to date`;
  if (trouble !== '') return `${written}, but ${manager.name} did not take it up: ${trouble}\nnext: ${next}`;
  return `${written}\n${started ? 'the daemon runs: harness service status' : 'the daemon was not started'}`;
};

/** What the manager cannot know. */
const advise = (session: Session, { manager, withheld }: OwnService): void => {
  if (withheld.length > 0)
    session.notice(`${withheld.join(', ')} carries a credential and was left out: set it with systemctl --user edit, or in an env_file`);
  if (manager.outlive !== undefined && manager.state().linger !== true)
    session.notice(`the daemon stops when you log out, unless you say: ${shellLine(manager.outlive)}`);
};

/** Whole or not at all, and for its owner only. */
const write = (file: string, text: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const beside = `${file}.${process.pid}`;
    writeFileSync(beside, text, { mode: 0o600 });
    chmodSync(beside, 0o600);
    renameSync(beside, file);
  } catch (error) {
    throw new CliFailure('service_unwritable', `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
};
