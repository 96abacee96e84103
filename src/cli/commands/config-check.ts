// `harness config check [file]`: loads the file as the daemon would and prints all that is wrong with it, each with its line.
import * as E from 'fp-ts/lib/Either.js';
import { renderConfigError } from '../../core/config/errors.js';
import { loadGlobalConfig } from '../../shell/config-files/load-global.js';
import { CliFailure, type Session } from '../session.js';

export const runConfigCheck = (session: Session, file: string | undefined): void => {
  const path = file ?? session.configFile;
  const loaded = loadGlobalConfig(path);
  if (E.isLeft(loaded)) {
    const errors = loaded.left.map(renderConfigError);
    throw new CliFailure('config_invalid', errors.join('\n'));
  }
  const { config, warnings } = loaded.right;
  if (session.json) {
    session.print(JSON.stringify({ file: path, harnesses: config.harnesses.map(({ name }) => name), warnings }));
    return;
  }
  for (const warning of warnings) session.notice(`warning: ${warning}`);
  const count = config.harnesses.length;
  session.print(
    `${path}: ok, ${count} ${count === 1 ? 'harness' : 'harnesses'}${warnings.length === 0 ? '' : `, ${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`}`,
  );
};
