// The commands for residents, projects and the scratchpad.
import { type Command, harnessArgument } from '../command.js';
import { flag, session, text } from '../flags.js';

const now = (what: string) => ({ type: 'boolean', default: false, describe: `${what} it at once as well` }) as const;

const attach: Command = {
  words: 'attach <harness>',
  describe: "a resident's terminal on this one",
  options: (cli) =>
    harnessArgument(cli)
      .option('read-only', { type: 'boolean', default: false, describe: 'look on, type nothing' })
      .option('detach-key', { type: 'string', default: 'ctrl-]', describe: 'the key that leaves it' }),
  run: async (flags) => {
    const { runAttach } = await import('../commands/attach.js');
    await runAttach(session(flags), text(flags, 'harness'), { readOnly: flag(flags, 'read-only'), detachKey: text(flags, 'detach-key') });
  },
};

export const FLEET_COMMANDS: readonly Command[] = [
  {
    words: 'start <harness>',
    describe: 'start a resident, or fire a one-shot',
    options: harnessArgument,
    run: async (flags) => (await import('../commands/start.js')).runStart(session(flags), text(flags, 'harness')),
  },
  {
    words: 'restart <harness>',
    describe: "end a resident's process and start it again",
    options: harnessArgument,
    run: async (flags) => (await import('../commands/start.js')).runRestart(session(flags), text(flags, 'harness')),
  },
  {
    words: 'enable <harness>',
    describe: 'start a resident with the daemon from now on',
    options: (cli) => harnessArgument(cli).option('now', now('start')),
    run: async (flags) =>
      (await import('../commands/enable.js')).runEnable(session(flags), text(flags, 'harness'), true, flag(flags, 'now')),
  },
  {
    words: 'disable <harness>',
    describe: 'no longer start a resident with the daemon',
    options: (cli) => harnessArgument(cli).option('now', now('stop')),
    run: async (flags) =>
      (await import('../commands/enable.js')).runEnable(session(flags), text(flags, 'harness'), false, flag(flags, 'now')),
  },
  attach,
];
