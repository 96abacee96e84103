// What a service manager must be told to keep a daemon running: the same facts for systemd and launchd.

import { byCodePoint, on, sorted } from '../../core/kernel/order.js';

/** The line by which a file is known to be ours; the number rises when its meaning changes. */
export const SERVICE_MARK = 'harness-service 1';

export interface ServiceDefinition {
  /** The command line: absolute paths of node and of the program, then its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** What the daemon and the agents it starts need of the environment that installed it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where output goes that is no log line: a crash of node itself. Only launchd needs to be told. */
  readonly outputFile: string;
  /** How long a stop may take before what is left is killed. */
  readonly stopSeconds: number;
}

/** The environment by name, so that the same one is always written the same. */
export const variablesOf = ({ environment }: ServiceDefinition): readonly (readonly [string, string])[] =>
  sorted(
    Object.entries(environment),
    on(([name]) => name, byCodePoint),
  );
