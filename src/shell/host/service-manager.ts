// A service manager that Harness can install its daemon with, as the commands it takes: they are run by who asks, or shown to paste.
import type { Environment } from './run-tool.js';

/** A command line. */
export type Step = readonly string[];

export interface ServiceState {
  /** It starts with its user's session, or with the host. */
  readonly enabled: boolean;
  /** The manager's own word, such as active, inactive or failed; `unknown` when it cannot be asked. */
  readonly active: string;
  /** Why the manager could not be asked; empty when it was. */
  readonly trouble: string;
  /** Whether the daemon outlives its user's last session; undefined where that is no question, or nobody knows. */
  readonly linger?: boolean;
}

export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  /** Where the definition lies. */
  readonly file: string;
  readonly state: () => ServiceState;
  /** What makes the manager read a definition that was just written. A daemon that runs already is left alone. */
  readonly takeUp: (start: boolean) => readonly Step[];
  /** What starts the daemon anew, so that a changed definition holds. */
  readonly restart: () => readonly Step[];
  readonly stop: () => readonly Step[];
  /** What stops and disables it, before the definition is removed. */
  readonly letGo: () => readonly Step[];
  /** What makes the manager see that the definition is gone. */
  readonly settle: () => readonly Step[];
  /** What lets the daemon outlive its user's last session, where that has to be said. */
  readonly outlive?: Step;
}

/** Who asks: its environment, and its user's number. */
export interface HostUser {
  readonly env: Environment;
  readonly uid: number;
}
