// `harness service status`: whether the service is installed, enabled and active, and whether a daemon answers.
import { shellLine } from '../../core/kernel/shell-line.js';
import { callDaemon } from '../daemon-call.js';
import { isCurrent, type OwnService, ownService, readDefinition } from '../own-service.js';
import { CliFailure, type Session } from '../session.js';

export const runServiceStatus = async (session: Session, service: OwnService = ownService(session)): Promise<void> => {
  const { manager } = service;
  const found = readDefinition(manager.file);
  const state = manager.state();
  const daemon = await answeringDaemon(session);
  const shown = {
    manager: manager.name,
    file: manager.file,
    installed: found?.ours === true,
    ...(found?.ours === true ? { up_to_date: isCurrent(found.text, service) } : {}),
    ...(found?.ours === false ? { foreign: true } : {}),
    enabled: state.enabled,
    active: state.active,
    ...(state.linger === undefined ? {} : { linger: state.linger }),
    ...(state.trouble === '' ? {} : { trouble: state.trouble }),
    daemon,
  };
  if (session.json) return session.print(JSON.stringify(shown));
  session.print(
    [
      `service: ${found === undefined ? 'not installed' : found.ours ? 'installed' : 'not ours'} (${manager.name}, ${manager.file})`,
      `state: ${state.active}, ${state.enabled ? 'enabled' : 'not enabled'}`,
      `daemon: ${daemon.answers ? `${daemon.version}, pid ${daemon.pid}` : daemon.why}`,
      `log: ${session.paths.log}`,
    ].join('\n'),
  );
  if (state.trouble !== '') session.notice(`${manager.name} cannot be asked: ${state.trouble}`);
  if (found?.ours === true && !isCurrent(found.text, service)) session.notice('it would be written otherwise now: harness service install');
  if (state.linger === false && manager.outlive !== undefined)
    session.notice(`the daemon stops when you log out, unless you say: ${shellLine(manager.outlive)}`);
};

type Answer =
  | { readonly answers: true; readonly version: string; readonly pid: number }
  | { readonly answers: false; readonly why: string };

const answeringDaemon = async (session: Session): Promise<Answer> => {
  try {
    const { version, pid } = await callDaemon(session, ({ control }) => control.daemonInfo({}));
    return { answers: true, version, pid: Number(pid) };
  } catch (error) {
    if (error instanceof CliFailure) return { answers: false, why: error.message };
    throw error;
  }
};
