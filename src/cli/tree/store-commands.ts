// The commands for the store: its copies and what it holds.
import { type Command, type CommandGroup, since } from '../command.js';
import { flag, optional, session, text } from '../flags.js';

const backup: Command = {
  words: 'backup [file]',
  describe: 'a consistent copy, with the daemon up or down',
  options: (cli) =>
    cli
      .positional('file', { type: 'string', describe: "where to; beside the store's other copies when left out" })
      .option('force', { type: 'boolean', default: false, describe: 'replace a file that is there' }),
  run: async (flags) =>
    (await import('../commands/store-backup.js')).runStoreBackup(session(flags), optional(flags, 'file'), flag(flags, 'force')),
};

const restore: Command = {
  words: 'restore <file>',
  describe: 'put a copy in the place of the store; the daemon must be down',
  options: (cli) =>
    cli
      .positional('file', { type: 'string', demandOption: true, describe: 'a copy of a store' })
      .option('yes', { alias: 'y', type: 'boolean', default: false, describe: 'do not ask' }),
  run: async (flags) =>
    (await import('../commands/store-restore.js')).runStoreRestore(session(flags), text(flags, 'file'), flag(flags, 'yes')),
};

const exportLines: Command = {
  words: 'export',
  describe: 'print rows as they are stored, one JSON object a line',
  options: (cli) =>
    cli
      .option('ledger', { type: 'boolean', default: false, describe: 'of the run ledger, in the order of writing' })
      .option('since', since),
  run: async (flags) =>
    (await import('../commands/store-export.js')).runStoreExport(session(flags), flag(flags, 'ledger'), optional(flags, 'since')),
};

const status: Command = {
  words: 'status',
  describe: 'size, contents and copies',
  options: (cli) => cli.option('check', { type: 'boolean', default: false, describe: 'look at every page first' }),
  run: async (flags) => (await import('../commands/store-status.js')).runStoreStatus(session(flags), flag(flags, 'check')),
};

export const STORE_COMMANDS: CommandGroup = {
  word: 'store',
  describe: 'the file that everything is stored in',
  ask: 'name a command: status, backup, restore or export',
  members: [status, backup, restore, exportLines],
};
