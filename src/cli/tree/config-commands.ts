// The commands for the configuration file; none needs a daemon.
import type { Command, CommandGroup } from '../command.js';
import { optional, session } from '../flags.js';

const check: Command = {
  words: 'check [file]',
  describe: 'load it and print every error; needs no daemon',
  options: (cli) => cli.positional('file', { type: 'string', describe: 'another file than the one in use' }),
  run: async (flags) => (await import('../commands/config-check.js')).runConfigCheck(session(flags), optional(flags, 'file')),
};

const show: Command = {
  words: 'show',
  describe: 'every value and where it was set',
  run: async (flags) => (await import('../commands/config-show.js')).runConfigShow(session(flags)),
};

export const CONFIG_COMMANDS: readonly (Command | CommandGroup)[] = [
  {
    words: 'init',
    describe: 'write a commented harness.toml',
    run: async (flags) => (await import('../commands/init.js')).runInit(session(flags)),
  },
  { word: 'config', describe: 'the configuration file', ask: 'name a command: check or show', members: [check, show] },
];
