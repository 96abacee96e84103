// `harness doctor`: looks at everything an operator would look at, and says what to do about what is not well.
import * as E from 'fp-ts/lib/Either.js';
import { diagnose } from '../../core/doctor/diagnose.js';
import { showConfig } from '../../shell/config-files/show-config.js';
import { home } from '../../shell/files/state-paths.js';
import { gatherFacts } from '../gather-facts.js';
import { renderReport } from '../render/doctor-table.js';
import type { Session } from '../session.js';

export interface DoctorFlags {
  readonly socket: string | undefined;
  readonly config: string | undefined;
}

/** Returns the exit code: 1 when something failed. The table is for people and goes to standard error. */
export const runDoctor = async (session: Session, flags: DoctorFlags): Promise<number> => {
  const report = diagnose(await gatherFacts(session));
  if (session.json) session.print(JSON.stringify({ ...report, settings: settingsOf(session, flags) }));
  else session.notice(renderReport(report, { color: coloured(), home: home(process.env) }));
  return report.summary.failed > 0 ? 1 : 0;
};

const coloured = (): boolean => process.stderr.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';

interface Setting {
  readonly value: string;
  readonly source: 'flag' | 'env' | 'file' | 'default';
}

/** Every setting that is not a harness's own, and what set it. */
const settingsOf = ({ paths, configFile }: Session, flags: DoctorFlags): Readonly<Record<string, Setting>> => {
  const set = (name: string): boolean => (process.env[name] ?? '') !== '';
  const from = (flag: string | undefined, variable: string): Setting['source'] =>
    flag !== undefined ? 'flag' : set(variable) ? 'env' : 'default';
  const shown = showConfig(configFile);
  const values = E.isRight(shown) ? shown.right.values.filter(({ table }) => !/^(harness|adapter)\./.test(table)) : [];
  return {
    socket: { value: paths.socket, source: from(flags.socket, 'HARNESS_SOCKET') },
    config: { value: configFile, source: from(flags.config, 'HARNESS_CONFIG') },
    state: { value: paths.state, source: from(undefined, 'XDG_STATE_HOME') },
    ...Object.fromEntries(
      values.map(({ table, key, value, at }): readonly [string, Setting] => [
        `${table}.${key}`,
        { value, source: at === undefined ? 'default' : 'file' },
      ]),
    ),
  };
};
