// `harness config show`: every value in force and the line that set it, or that it is the default.
import * as E from 'fp-ts/lib/Either.js';
import { renderConfigError } from '../../core/config/errors.js';
import { showConfig } from '../../shell/config-files/show-config.js';
import { renderTable, shorten } from '../render/table.js';
import { CliFailure, type Session } from '../session.js';

export const runConfigShow = (session: Session): void => {
  const shown = showConfig(session.configFile);
  if (E.isLeft(shown)) throw new CliFailure('config_invalid', shown.left.map(renderConfigError).join('\n'), 'harness config check');
  const { file, drop_ins, values, warnings } = shown.right;
  if (session.json) {
    session.print(JSON.stringify({ file, drop_ins, values, warnings }));
    return;
  }
  for (const warning of warnings) session.notice(`warning: ${warning}`);
  const rows = values.map(({ table, key, value, at }) => [
    `[${table}]`,
    key,
    shorten(String(value), 40),
    at === undefined ? 'default' : `${at.file}:${at.line}`,
  ]);
  session.print(renderTable(['TABLE', 'KEY', 'VALUE', 'SET AT'], rows, 'nothing is set'));
};
