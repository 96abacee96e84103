// launchd's manager of one user's agents.
import { join } from 'node:path';
import { home } from '../files/state-paths.js';
import { runTool } from './run-tool.js';
import type { HostUser, ServiceManager, ServiceState, Step } from './service-manager.js';

export const launchd = ({ env, uid }: HostUser, label: string): ServiceManager => {
  const file = join(home(env), 'Library', 'LaunchAgents', `${label}.plist`);
  const ask = (target: string) => runTool(['launchctl', 'print', target], env);
  /** An agent belongs to the session on the screen, or without one to the user's own domain. */
  const domain = (): string => (ask(`gui/${uid}`).ok ? `gui/${uid}` : `user/${uid}`);
  const target = (): string => `${domain()}/${label}`;
  const load = (): Step => ['launchctl', 'bootstrap', domain(), file];
  const unload = (): Step => ['launchctl', 'bootout', target()];
  const whenLoaded = (steps: readonly Step[]): readonly Step[] => (ask(target()).ok ? steps : []);
  return {
    name: 'launchd',
    file,
    state: () => readState(ask(target())),
    takeUp: (start) => (!start || ask(target()).ok ? [] : [['launchctl', 'enable', target()], load()]),
    restart: () => [...whenLoaded([unload()]), load()],
    stop: () => [unload()],
    letGo: () => whenLoaded([unload()]),
    settle: () => [],
  };
};

const NOT_LOADED = /could not find service/i;

/** What is loaded starts with the session; what is not may still lie there for the next one. */
const readState = ({ ok, stdout, why }: ReturnType<typeof runTool>): ServiceState => {
  if (ok) return { enabled: true, active: /^\s*state = (.+)$/m.exec(stdout)?.[1] ?? 'unknown', trouble: '' };
  return NOT_LOADED.test(why) ? { enabled: false, active: 'inactive', trouble: '' } : { enabled: false, active: 'unknown', trouble: why };
};
