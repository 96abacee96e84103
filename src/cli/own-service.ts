// The daemon as a service of this host's manager: what is installed is what this command line would run.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellLine } from '../core/kernel/shell-line.js';
import { configPath, statePaths } from '../shell/files/state-paths.js';
import { launchd } from '../shell/host/launchd.js';
import { runTool } from '../shell/host/run-tool.js';
import type { HostUser, ServiceManager, Step } from '../shell/host/service-manager.js';
import { systemd } from '../shell/host/systemd.js';
import { LAUNCHD_LABEL, renderLaunchdPlist } from './render/launchd-plist.js';
import { SERVICE_MARK, type ServiceDefinition } from './render/service-definition.js';
import { renderSystemdUnit } from './render/systemd-unit.js';
import { CliFailure, type Session } from './session.js';
import { SERVICE_STOP_SECONDS } from './stop-grace.js';

export interface OwnService {
  readonly manager: ServiceManager;
  readonly user: HostUser;
  /** The definition as it would be written. */
  readonly text: string;
  /** Variables that were left out since they carry a credential. */
  readonly withheld: readonly string[];
}

/** Agents need to be found, and to find their own settings, the network and its certificates. */
const CARRIED = `PATH LANG LC_ALL TZ XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME CLAUDE_CONFIG_DIR CODEX_HOME
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR`.split(/\s+/);
/** Anything with a user's part before a host, with or without a scheme. */
const CREDENTIAL = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/\s]*@/i;

export const hostUser = (): HostUser => ({ env: process.env, uid: process.getuid?.() ?? 0 });

export const hostManager = (platform: string = process.platform, user: HostUser = hostUser()): ServiceManager | undefined => {
  if (platform === 'linux') return systemd(user);
  return platform === 'darwin' ? launchd(user, LAUNCHD_LABEL) : undefined;
};

export const ownService = (session: Session, platform: string = process.platform, user: HostUser = hostUser()): OwnService => {
  const manager = hostManager(platform, user);
  if (manager === undefined) throw new CliFailure('no_service_manager', `no service manager of ${platform} is known`, 'harness daemon');
  const given = CARRIED.flatMap((name) => (user.env[name] ? [[name, user.env[name] as string] as const] : []));
  const withheld = given.filter(([, value]) => CREDENTIAL.test(value)).map(([name]) => name);
  const environment = Object.fromEntries(given.filter(([name]) => !withheld.includes(name)));
  const program = [process.execPath, resolve(process.argv[1] ?? '')] as const;
  const definition: ServiceDefinition = {
    argv: [...program, 'daemon', '--log-file', session.paths.log, ...differing(session, environment, manager, user)],
    environment,
    outputFile: `${session.paths.log}.stderr`,
    stopSeconds: SERVICE_STOP_SECONDS,
  };
  return { manager, user, text: manager.name === 'systemd' ? renderSystemdUnit(definition) : renderLaunchdPlist(definition), withheld };
};

/** Where this command line looks for configuration and socket, as flags, unless the service would look there anyway. */
const differing = (
  { paths, configFile }: Session,
  environment: Readonly<Record<string, string>>,
  { name }: ServiceManager,
  { env, uid }: HostUser,
): readonly string[] => {
  const there = { HOME: env['HOME'], ...environment, ...(name === 'systemd' ? { XDG_RUNTIME_DIR: `/run/user/${uid}` } : {}) };
  const config = resolve(configFile);
  const socket = resolve(paths.socket);
  return [
    ...(config === configPath(there) ? [] : ['--config', config]),
    ...(socket === statePaths(there).socket ? [] : ['--socket', socket]),
  ];
};

/** The definition that lies there, and whether it is ours. */
export const readDefinition = (file: string): { readonly text: string; readonly ours: boolean } | undefined => {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, ours: text.includes(SERVICE_MARK) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new CliFailure('service_unreadable', `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, `ls -l ${file}`);
  }
};

/** Whether what lies there says what would be written now. The environment is that of whoever installed it, and may well differ. */
export const isCurrent = (found: string, { text }: OwnService): boolean => withoutEnvironment(found) === withoutEnvironment(text);

const withoutEnvironment = (text: string): string =>
  text.replace(/^Environment=.*\n/gm, '').replace(/<key>EnvironmentVariables<\/key>\s*<dict>[\s\S]*?<\/dict>/, '');

export interface Carried {
  /** Why it went no further; empty when every step was taken. */
  readonly trouble: string;
  /** The steps that were not taken. */
  readonly left: readonly Step[];
}

export const carryOut = (steps: readonly Step[], { env }: HostUser): Carried => {
  for (const [index, step] of steps.entries()) {
    const { ok, why } = runTool(step, env);
    if (!ok) return { trouble: why, left: steps.slice(index) };
  }
  return { trouble: '', left: [] };
};

export const pastedAll = (steps: readonly Step[]): string => steps.map(shellLine).join(' && ');
