// systemd's manager of one user's services.
import { join } from 'node:path';
import { configHome } from '../files/state-paths.js';
import { runTool } from './run-tool.js';
import type { HostUser, ServiceManager, ServiceState, Step } from './service-manager.js';

export const SYSTEMD_UNIT = 'harness.service';

const ctl = (...args: readonly string[]): Step => ['systemctl', '--user', ...args];

export const systemd = (user: HostUser): ServiceManager => ({
  name: 'systemd',
  file: join(configHome(user.env), 'systemd', 'user', SYSTEMD_UNIT),
  state: () => readState(user),
  takeUp: (start) => [ctl('daemon-reload'), ctl('enable', ...(start ? ['--now'] : []), SYSTEMD_UNIT)],
  restart: () => [ctl('restart', SYSTEMD_UNIT)],
  stop: () => [ctl('stop', SYSTEMD_UNIT)],
  letGo: () => [ctl('disable', '--now', SYSTEMD_UNIT)],
  settle: () => [ctl('daemon-reload')],
  outlive: ['loginctl', 'enable-linger'],
});

const readState = (user: HostUser): ServiceState => {
  const shown = runTool(ctl('show', SYSTEMD_UNIT, '--property=ActiveState,UnitFileState'), user.env);
  const property = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(shown.stdout)?.[1];
  const linger = readLinger(user);
  return {
    enabled: property('UnitFileState') === 'enabled',
    active: shown.ok ? (property('ActiveState') ?? 'unknown') : 'unknown',
    trouble: shown.why,
    ...(linger === undefined ? {} : { linger }),
  };
};

/** A user without any session is unknown to logind; nobody can tell then. */
const readLinger = ({ env, uid }: HostUser): boolean | undefined => {
  const { ok, stdout } = runTool(['loginctl', 'show-user', String(uid), '--property=Linger'], env);
  return ok ? stdout.trim() === 'Linger=yes' : undefined;
};
