// The systemd user unit of the daemon.
import { SERVICE_MARK, type ServiceDefinition, variablesOf } from './service-definition.js';

/** A daemon that cannot start is tried this often within the interval, then left failed for `systemctl status` to show. */
const STARTS = { burst: 5, intervalSeconds: 120, delaySeconds: 5 } as const;

/**
 * Only the daemon gets the signal to stop, since it ends its runs in order; what is left after the grace is killed. An agent that
 * runs out of memory must not take the daemon along, hence OOMPolicy.
 */
export const renderSystemdUnit = (definition: ServiceDefinition): string => {
  const [program, ...rest] = definition.argv;
  return `# ${SERVICE_MARK}: written by "harness service install", removed by "harness service uninstall".
# Settings of your own belong in a drop-in: systemctl --user edit harness.service
[Unit]
Description=Harness, a supervisor of agent CLIs
StartLimitIntervalSec=${STARTS.intervalSeconds}
StartLimitBurst=${STARTS.burst}

[Service]
Type=exec
ExecStart=${[quote(program), ...rest.map(quoteArgument)].join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=${STARTS.delaySeconds}
KillMode=mixed
TimeoutStopSec=${definition.stopSeconds}
OOMPolicy=continue
${variablesOf(definition)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`)
  .join('')}
[Install]
WantedBy=default.target
`;
};

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '%': '%%', '\n': '\\n', '\t': '\\t', '\r': '\\r' };

const PLAIN = /^[\w@+=:,./-]+$/;

/** One word of a unit file: in quotes if need be, with what quotes and specifiers would read escaped. */
const quote = (word: string): string => (PLAIN.test(word) ? word : `"${word.replace(/[\\"%\n\t\r]/g, (sign) => ESCAPES[sign] ?? sign)}"`);

/** An argument of a command line: there `$` names a variable. */
const quoteArgument = (word: string): string => quote(word).replaceAll('$', '$$$$');
