// `harness service logs [--follow] [--lines N]`: the end of the log that the service writes.
import { lastLines, newLines } from '../../shell/files/log-tail.js';
import { renderLogLine } from '../render/log-line.js';
import { CliFailure, type Session } from '../session.js';

export interface ServiceLogsFlags {
  readonly follow: boolean;
  readonly lines: number;
}

export const runServiceLogs = async (session: Session, { follow, lines }: ServiceLogsFlags): Promise<void> => {
  const { log } = session.paths;
  const show = (line: string): void => session.print(session.json ? line : renderLogLine(line, session.color));
  const last = lastLines(log, lines);
  if (last === undefined && !follow)
    throw new CliFailure('no_log', `there is no ${log} yet: the service writes it`, 'harness service install');
  for (const line of last?.lines ?? []) show(line);
  if (!follow) return;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  for await (const more of newLines(log, last?.end ?? 0, stop.signal)) for (const line of more) show(line);
};
