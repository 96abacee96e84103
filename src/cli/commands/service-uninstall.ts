// `harness service uninstall`: stops the daemon, and removes the definition if Harness wrote it.
import { lstatSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { carryOut, type OwnService, ownService, pastedAll, readDefinition } from '../own-service.js';
import { CliFailure, type Session } from '../session.js';

export const runServiceUninstall = (session: Session, service: OwnService = ownService(session)): void => {
  const { file } = service.manager;
  const found = readDefinition(file);
  if (found?.ours === false) throw new CliFailure('foreign_service', `${file} was not written by Harness and was left as it is`);
  const trouble = found === undefined ? '' : remove(service);
  const next = trouble === '' ? '' : pastedAll(service.manager.stop());
  const said = found === undefined ? `no service is installed: there is no ${file}` : `removed ${file}`;
  session.print(session.json ? JSON.stringify({ file, removed: found !== undefined, trouble, next }) : said);
  if (trouble !== '') session.notice(`${service.manager.name} was not told: ${trouble}\nif the daemon runs: ${next}`);
};

/** What kept the manager from being told; empty when it knows. */
const remove = ({ manager, user }: OwnService): string => {
  const stopped = carryOut(manager.letGo(), user);
  rmSync(manager.file);
  if (manager.name === 'systemd') removeWish(manager.file);
  return stopped.trouble === '' ? carryOut(manager.settle(), user).trouble : stopped.trouble;
};

/** The link by which systemd knows that a unit is enabled stays when systemd could not be asked to remove it. */
const removeWish = (file: string): void => {
  const wish = join(dirname(file), 'default.target.wants', basename(file));
  if (lstatSync(wish, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(wish);
};
