// The commands for the daemon, its harnesses and their runs.
import { type Command, harnessArgument, limit, since, wide } from '../command.js';
import { flag, optional, session, text, whole } from '../flags.js';

const trigger: Command = {
  words: 'trigger <harness>',
  describe: 'start a one-shot now',
  options: (cli) =>
    harnessArgument(cli)
      .option('wait', {
        type: 'boolean',
        default: false,
        describe: 'wait for its end; exits with its code, 124 timed out, 75 skipped',
      })
      .option('over-budget', { type: 'boolean', default: false, describe: "start it although its day's budget is spent" }),
  run: async (flags) => {
    const { runTrigger } = await import('../commands/trigger.js');
    return runTrigger(session(flags), text(flags, 'harness'), { wait: flag(flags, 'wait'), overBudget: flag(flags, 'over-budget') });
  },
};

const logs: Command = {
  words: 'logs <harness>',
  describe: 'the log of its newest run',
  options: (cli) =>
    harnessArgument(cli)
      .option('run', { type: 'number', default: 0, describe: 'of this run' })
      .option('follow', { alias: 'f', type: 'boolean', default: false, describe: 'go on until the run ends' })
      .option('stream', { type: 'boolean', default: false, describe: "the client's redacted stream instead" }),
  run: async (flags) => {
    const { runLogs } = await import('../commands/logs.js');
    const wanted = { run: whole(flags, 'run', 0), follow: flag(flags, 'follow'), stream: flag(flags, 'stream') };
    await runLogs(session(flags), text(flags, 'harness'), wanted);
  },
};

const runs: Command = {
  words: 'runs [harness]',
  describe: 'run records, newest first',
  options: (cli) =>
    cli
      .positional('harness', { type: 'string', describe: 'of this harness only' })
      .option('since', since)
      .option('outcome', { type: 'string', describe: 'only with this outcome' })
      .option('limit', limit)
      .option('wide', wide),
  run: async (flags) => {
    const { runRuns } = await import('../commands/runs.js');
    await runRuns(session(flags), {
      harness: text(flags, 'harness'),
      since: optional(flags, 'since'),
      outcome: text(flags, 'outcome'),
      limit: whole(flags, 'limit', 1),
      wide: flag(flags, 'wide'),
    });
  },
};

export const RUN_COMMANDS: readonly Command[] = [
  {
    words: 'daemon',
    describe: 'run the daemon in the foreground',
    options: (cli) =>
      cli.option('log-file', { type: 'string', describe: 'append its log to this file, and set that aside when it is full' }),
    run: async (flags) => (await import('../commands/daemon.js')).runDaemon(session(flags), optional(flags, 'log-file')),
  },
  {
    words: 'status',
    describe: 'the daemon itself',
    run: async (flags) => (await import('../commands/status.js')).runStatus(session(flags)),
  },
  {
    words: ['list', 'ls'],
    describe: 'harnesses, their state and last run',
    run: async (flags) => (await import('../commands/list.js')).runList(session(flags)),
  },
  {
    words: 'describe <harness>',
    describe: 'the definition in force',
    options: harnessArgument,
    run: async (flags) => (await import('../commands/describe.js')).runDescribe(session(flags), text(flags, 'harness')),
  },
  trigger,
  {
    words: 'stop <harness>',
    describe: 'end its run',
    options: harnessArgument,
    run: async (flags) => (await import('../commands/stop.js')).runStop(session(flags), text(flags, 'harness')),
  },
  logs,
  runs,
  {
    words: 'reload',
    describe: 'load the configuration again',
    run: async (flags) => (await import('../commands/reload.js')).runReload(session(flags)),
  },
  {
    words: 'demo',
    describe: 'see it work: two runs of a demonstration agent, in a temporary directory',
    options: (cli) => cli.option('keep', { type: 'boolean', default: false, describe: 'leave the files in place' }),
    run: async (flags) => (await import('../commands/demo.js')).runDemo(session(flags), flag(flags, 'keep')),
  },
];
