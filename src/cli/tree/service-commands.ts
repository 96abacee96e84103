// The commands for the daemon as a service of the host.
import type { Command, CommandGroup } from '../command.js';
import { flag, session, whole } from '../flags.js';

const LINES_DEFAULT = 100;

const install: Command = {
  words: 'install',
  describe: 'have systemd or launchd keep the daemon',
  options: (cli) =>
    cli
      .option('start', { type: 'boolean', default: true, describe: 'start it at once; --no-start does not' })
      .option('force', { type: 'boolean', default: false, describe: 'replace a service that Harness did not write' }),
  run: async (flags) => {
    const { runServiceInstall } = await import('../commands/service-install.js');
    runServiceInstall(session(flags), { start: flag(flags, 'start'), force: flag(flags, 'force') });
  },
};

const logs: Command = {
  words: 'logs',
  describe: 'the end of its log',
  options: (cli) =>
    cli
      .option('follow', { alias: 'f', type: 'boolean', default: false, describe: 'go on as it grows' })
      .option('lines', { alias: 'n', type: 'number', default: LINES_DEFAULT, describe: 'how many lines' }),
  run: async (flags) => {
    const { runServiceLogs } = await import('../commands/service-logs.js');
    await runServiceLogs(session(flags), { follow: flag(flags, 'follow'), lines: whole(flags, 'lines', 0) });
  },
};

export const SERVICE_COMMANDS: CommandGroup = {
  word: 'service',
  describe: 'the daemon as a service',
  ask: 'name a command: install, uninstall, status or logs',
  members: [
    install,
    {
      words: 'uninstall',
      describe: 'stop it and remove what install wrote',
      run: async (flags) => (await import('../commands/service-uninstall.js')).runServiceUninstall(session(flags)),
    },
    {
      words: 'status',
      describe: 'installed, enabled, active, answering',
      run: async (flags) => (await import('../commands/service-status.js')).runServiceStatus(session(flags)),
    },
    logs,
  ],
};
