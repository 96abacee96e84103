// `harness config check [file]`: loads it as the daemon would, with its drop-ins and the project file at hand, and prints all that
// is wrong, each with its line.
import * as E from 'fp-ts/lib/Either.js';
import { renderConfigError } from '../../core/config/errors.js';
import { type LoadedView, loadView } from '../../shell/config-files/load-view.js';
import { findProjectFile, loadProject } from '../../shell/config-files/project-file.js';
import { CliFailure, type Session } from '../session.js';

/** A file that is named is checked alone; else the project file above the working directory is checked as well. */
export const runConfigCheck = (session: Session, file: string | undefined): void => {
  const path = file ?? session.configFile;
  const loaded = loadView(path);
  if (E.isLeft(loaded)) throw new CliFailure('config_invalid', loaded.left.map(renderConfigError).join('\n'));
  const { config, sources, warnings } = loaded.right;
  const project = file === undefined ? checkProject(session, loaded.right) : undefined;
  const [, ...dropIns] = sources.map((source) => source.file);
  if (session.json) {
    const found = project === undefined ? {} : { project: project };
    session.print(
      JSON.stringify({ file: path, drop_ins: dropIns, harnesses: config.harnesses.map(({ name }) => name), warnings, ...found }),
    );
    return;
  }
  for (const warning of [...warnings, ...(project?.warnings ?? [])]) session.notice(`warning: ${warning}`);
  const files = dropIns.length === 0 ? '' : ` with ${count(dropIns.length, 'drop-in')}`;
  session.print(`${path}${files}: ok, ${count(config.harnesses.length, 'harness')}${told(warnings)}`);
  if (project !== undefined) session.print(`${project.file}: ok, ${count(project.harnesses.length, 'harness')}${told(project.warnings)}`);
};

const checkProject = ({ configFile }: Session, { config }: LoadedView) => {
  const file = findProjectFile(process.cwd(), configFile, process.env['HOME'] ?? '/');
  if (file === undefined) return undefined;
  const project = loadProject(file, config);
  if (E.isLeft(project)) throw new CliFailure('config_invalid', project.left.map(renderConfigError).join('\n'));
  const { name, definitions, warnings } = project.right;
  return { file, harnesses: definitions.map((each) => `${name}/${each.name}`), warnings };
};

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : what.endsWith('s') ? 'es' : 's'}`;

const told = (warnings: readonly string[]): string => (warnings.length === 0 ? '' : `, ${count(warnings.length, 'warning')}`);
