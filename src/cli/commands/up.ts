// `harness up [dir]`: brings the project's harnesses to the daemon, in place of those it had; `harness down` takes them away.
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../../core/config/config.js';
import { renderConfigError } from '../../core/config/errors.js';
import { loadView } from '../../shell/config-files/load-view.js';
import { findProjectFile, type LoadedProject, loadProject } from '../../shell/config-files/project-file.js';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

export const runUp = async (session: Session, directory: string): Promise<void> => {
  const { file, name, root, definitions, warnings } = readProject(session, directory);
  for (const warning of warnings) session.notice(`warning: ${warning}`);
  const harnesses = definitions.map((each) => ({ name: each.name, definitionJson: JSON.stringify(each.definition) }));
  const reply = await callDaemon(session, ({ control }) => control.projectUp({ name, root, harnesses }, UNBOUNDED));
  if (session.json) {
    session.print(JSON.stringify({ project: name, file, harnesses: reply.harnesses, removed: reply.removed }));
    return;
  }
  session.print(`${name} is up from ${file}: ${listed(reply.harnesses)}`);
  if (reply.removed.length > 0) session.print(`no longer there: ${listed(reply.removed)}`);
};

export const runDown = async (session: Session, named: string | undefined, directory: string): Promise<void> => {
  // A name is meant as it is; the file at hand means its own project, and no other of the same name.
  const { name, root } = named === undefined ? readProject(session, directory) : { name: named, root: '' };
  const { removed } = await callDaemon(session, ({ control }) => control.projectDown({ name, root }, UNBOUNDED));
  session.print(session.json ? JSON.stringify({ project: name, removed }) : `${name} is down: ${listed(removed)}`);
};

const listed = (names: readonly string[]): string => (names.length === 0 ? 'no harness' : names.join(', '));

const readProject = (session: Session, directory: string): LoadedProject => {
  const file = findProjectFile(directory, session.configFile, process.env['HOME'] ?? '/');
  if (file === undefined)
    throw new CliFailure('no_project', `no harness.toml in ${directory} or above it`, 'a project file declares [harness.<name>] tables');
  const project = loadProject(file, operatorsAdapters(session));
  if (E.isLeft(project)) throw new CliFailure('config_invalid', project.left.map(renderConfigError).join('\n'));
  return project.right;
};

/** A global file that does not load is the daemon's to complain about; the project is read with the built-in adapters then. */
const operatorsAdapters = ({ configFile }: Session): Pick<Config, 'adapters'> => {
  const view = loadView(configFile);
  return E.isRight(view) ? view.right.config : { adapters: {} };
};
