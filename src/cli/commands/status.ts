// `harness status`: the daemon itself.
import { callDaemon } from '../daemon-call.js';
import { renderMoment } from '../render/moment.js';
import type { Session } from '../session.js';

export const runStatus = async (session: Session): Promise<void> => {
  const info = await callDaemon(session, ({ control }) => control.daemonInfo({}));
  const shown = {
    version: info.version,
    pid: Number(info.pid),
    started_at: info.startedAt,
    socket: info.socket,
    store: info.store,
    config: info.config,
    config_errors: info.configErrors,
    project_errors: info.projectErrors,
    harnesses: info.harnesses,
    active_runs: info.activeRuns,
    ledger: { queued: Number(info.ledgerQueued), errors: Number(info.ledgerErrors), cut: Number(info.ledgerCut) },
  };
  if (session.json) return session.print(JSON.stringify(shown));
  session.print(
    [
      `daemon ${info.version}, pid ${info.pid}, since ${renderMoment(info.startedAt)}`,
      `harnesses: ${info.harnesses}, running: ${info.activeRuns}`,
      `config: ${info.config}`,
      `store: ${info.store}`,
      `socket: ${info.socket}`,
      `ledger: ${info.ledgerQueued} lines waiting, ${info.ledgerErrors} failures`,
    ].join('\n'),
  );
  if (info.configErrors.length > 0)
    session.notice(`the last reload was refused, an older configuration is in force:\n${info.configErrors.join('\n')}`);
  if (info.projectErrors.length > 0) session.notice(`projects that cannot be loaded again:\n${info.projectErrors.join('\n')}`);
};
