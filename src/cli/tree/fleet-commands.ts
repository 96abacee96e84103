// The commands for residents, projects and the scratchpad.
import { type Command, harnessArgument } from '../command.js';
import { flag, optional, session, text, words } from '../flags.js';

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

const run: Command = {
  words: 'run <harness> [args..]',
  describe: 'run a client or a command on the spot, on the scratchpad',
  options: (cli) =>
    cli
      .positional('harness', { type: 'string', describe: 'an adapter, or `command`', demandOption: true })
      .positional('args', { type: 'string', array: true, describe: 'its arguments, after --' })
      .option('name', { type: 'string', default: '', describe: 'call it scratch/<name>' })
      .option('workdir', { type: 'string', default: '.', describe: 'run it there' })
      .option('prompt', { type: 'string', describe: 'run the client to the end of this prompt' })
      .option('detach', { alias: 'd', type: 'boolean', default: false, describe: 'do not attach to it' }),
  run: async (flags) => {
    const { runRun } = await import('../commands/run.js');
    await runRun(session(flags), {
      harness: text(flags, 'harness'),
      args: words(flags, 'args'),
      name: text(flags, 'name'),
      workdir: text(flags, 'workdir'),
      prompt: optional(flags, 'prompt'),
      detach: flag(flags, 'detach'),
    });
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
  {
    words: 'up [dir]',
    describe: "bring a project's harnesses to the daemon",
    options: (cli) => cli.positional('dir', { type: 'string', default: '.', describe: 'in it, or above it, is a harness.toml' }),
    run: async (flags) => (await import('../commands/up.js')).runUp(session(flags), text(flags, 'dir')),
  },
  {
    words: 'down [project]',
    describe: "end a project's harnesses and take them away",
    options: (cli) => cli.positional('project', { type: 'string', describe: 'its name; else that of the harness.toml at hand' }),
    run: async (flags) => (await import('../commands/up.js')).runDown(session(flags), optional(flags, 'project'), '.'),
  },
  run,
  {
    words: 'remove <harness>',
    describe: 'forget a harness of the scratchpad',
    options: harnessArgument,
    run: async (flags) => (await import('../commands/remove.js')).runRemove(session(flags), text(flags, 'harness')),
  },
];
