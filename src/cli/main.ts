#!/usr/bin/env node
// The command line: declares every command, loads a command's code only when it runs, and turns failures into words and exit codes.
import yargs, { type Argv } from 'yargs';
import { renderFailure } from './render/failure.js';
import { CliFailure, openSession, type Session } from './session.js';
import { VERSION } from './version.js';

type Flags = Readonly<Record<string, unknown>>;

const LIMIT = 20;
/** What a count may be at most on the wire. */
const COUNT_MAX = 2 ** 31 - 1;
let exitCode = 0;

const session = (flags: Flags): Session => openSession(flags as Parameters<typeof openSession>[0]);
const text = (flags: Flags, name: string): string => (typeof flags[name] === 'string' ? (flags[name] as string) : '');
const whole = (flags: Flags, name: string, least: number): number => {
  const value = flags[name] ?? 0;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= COUNT_MAX) return value;
  throw new CliFailure('invalid_argument', `--${name} must be a whole number of at least ${least}`);
};
const optional = (flags: Flags, name: string): string | undefined => (text(flags, name) === '' ? undefined : text(flags, name));
const flag = (flags: Flags, name: string): boolean => flags[name] === true;

const harnessArgument = (cli: Argv): Argv => cli.positional('harness', { type: 'string', describe: 'its name', demandOption: true });
const since = { type: 'string', describe: 'not older than this: 2h45m, 7d, or an RFC 3339 instant' } as const;
const wide = { type: 'boolean', default: false, describe: 'more columns' } as const;
const limit = { type: 'number', default: LIMIT, describe: 'how many at the most' } as const;

const runCommands = (cli: Argv): Argv =>
  cli
    .command('daemon', 'run the daemon in the foreground', {}, async (flags) =>
      (await import('./commands/daemon.js')).runDaemon(session(flags)),
    )
    .command('status', 'the daemon itself', {}, async (flags) => (await import('./commands/status.js')).runStatus(session(flags)))
    .command(['list', 'ls'], 'harnesses, their state and last run', {}, async (flags) =>
      (await import('./commands/list.js')).runList(session(flags)),
    )
    .command('describe <harness>', 'the definition in force', harnessArgument, async (flags) =>
      (await import('./commands/describe.js')).runDescribe(session(flags), text(flags, 'harness')),
    )
    .command(
      'trigger <harness>',
      'start a one-shot now',
      (args) =>
        harnessArgument(args).option('wait', {
          type: 'boolean',
          default: false,
          describe: 'wait for its end; exits with its code, 124 timed out, 75 skipped',
        }),
      async (flags) => {
        exitCode = await (await import('./commands/trigger.js')).runTrigger(session(flags), text(flags, 'harness'), flag(flags, 'wait'));
      },
    )
    .command('stop <harness>', 'end its run', harnessArgument, async (flags) =>
      (await import('./commands/stop.js')).runStop(session(flags), text(flags, 'harness')),
    )
    .command(
      'logs <harness>',
      'the log of its newest run',
      (args) =>
        harnessArgument(args)
          .option('run', { type: 'number', default: 0, describe: 'of this run' })
          .option('follow', { alias: 'f', type: 'boolean', default: false, describe: 'go on until the run ends' })
          .option('stream', { type: 'boolean', default: false, describe: "the client's redacted stream instead" }),
      async (flags) => {
        const { runLogs } = await import('./commands/logs.js');
        await runLogs(session(flags), text(flags, 'harness'), {
          run: whole(flags, 'run', 0),
          follow: flag(flags, 'follow'),
          stream: flag(flags, 'stream'),
        });
      },
    )
    .command(
      'runs [harness]',
      'run records, newest first',
      (args) =>
        args
          .positional('harness', { type: 'string', describe: 'of this harness only' })
          .option('since', since)
          .option('outcome', { type: 'string', describe: 'only with this outcome' })
          .option('limit', limit)
          .option('wide', wide),
      async (flags) => {
        const { runRuns } = await import('./commands/runs.js');
        await runRuns(session(flags), {
          harness: text(flags, 'harness'),
          since: optional(flags, 'since'),
          outcome: text(flags, 'outcome'),
          limit: whole(flags, 'limit', 1),
          wide: flag(flags, 'wide'),
        });
      },
    )
    .command('reload', 'load the configuration again', {}, async (flags) =>
      (await import('./commands/reload.js')).runReload(session(flags)),
    )
    .command(
      'demo',
      'see it work: two runs of a demonstration agent, in a temporary directory',
      (args) => args.option('keep', { type: 'boolean', default: false, describe: 'leave the files in place' }),
      async (flags) => (await import('./commands/demo.js')).runDemo(session(flags), flag(flags, 'keep')),
    );

const memoryCommands = (cli: Argv): Argv =>
  cli.command('memory', 'episodes, recall and briefings', (memory) =>
    memory
      .command('status', 'the provider, what is stored and what waits', {}, async (flags) =>
        (await import('./commands/memory-status.js')).runMemoryStatus(session(flags)),
      )
      .command(
        'episodes [id]',
        'stored episodes, newest first, or one in full',
        (args) =>
          args
            .positional('id', { type: 'string', describe: 'an episode id' })
            .option('harness', { type: 'string', describe: 'of this harness only' })
            .option('repo', { type: 'string', describe: 'of this repository only: host/owner/name' })
            .option('since', since)
            .option('limit', limit)
            .option('wide', wide),
        async (flags) => {
          const { runMemoryEpisode, runMemoryEpisodes } = await import('./commands/memory-episodes.js');
          const id = text(flags, 'id');
          if (id !== '') return runMemoryEpisode(session(flags), id);
          return runMemoryEpisodes(session(flags), {
            harness: text(flags, 'harness'),
            repo: text(flags, 'repo'),
            since: optional(flags, 'since'),
            limit: whole(flags, 'limit', 1),
            wide: flag(flags, 'wide'),
          });
        },
      )
      .command(
        'recall <query>',
        'what an agent would find',
        (args) =>
          args
            .positional('query', { type: 'string', demandOption: true, describe: 'what to look for, at most 512 characters' })
            .option('repo', { type: 'string', describe: 'in this repository: host/owner/name' })
            .option('as', { type: 'string', describe: 'as this harness' })
            .option('paths', { type: 'string', array: true, default: [], describe: 'repository-relative paths that matter more' })
            .option('limit', { type: 'number', default: 0, describe: 'items per section, 1 to 20 (default 8)' }),
        async (flags) => {
          const { runMemoryRecall } = await import('./commands/memory-recall.js');
          await runMemoryRecall(session(flags), {
            query: String(flags['query'] ?? ''),
            repo: text(flags, 'repo'),
            as: text(flags, 'as'),
            paths: (flags['paths'] as readonly string[] | undefined) ?? [],
            limit: whole(flags, 'limit', 0),
          });
        },
      )
      .command('briefing <harness>', 'what the harness would be told now', harnessArgument, async (flags) =>
        (await import('./commands/memory-briefing.js')).runMemoryBriefing(session(flags), text(flags, 'harness')),
      )
      .command('provider', 'the provider contract', (provider) =>
        provider
          .command('schema', 'print the JSON schemas of the four tools', {}, async (flags) =>
            (await import('./commands/provider-schema.js')).runProviderSchema(session(flags)),
          )
          .demandCommand(1, 'name a command: schema'),
      )
      .demandCommand(1, 'name a command: status, episodes, recall, briefing or provider'),
  );

const configCommands = (cli: Argv): Argv =>
  cli
    .command('init', 'write a commented harness.toml', {}, async (flags) => (await import('./commands/init.js')).runInit(session(flags)))
    .command('config', 'the configuration file', (config) =>
      config
        .command(
          'check [file]',
          'load it and print every error; needs no daemon',
          (args) => args.positional('file', { type: 'string', describe: 'another file than the one in use' }),
          async (flags) => (await import('./commands/config-check.js')).runConfigCheck(session(flags), optional(flags, 'file')),
        )
        .command('show', 'every value and where it was set', {}, async (flags) =>
          (await import('./commands/config-show.js')).runConfigShow(session(flags)),
        )
        .demandCommand(1, 'name a command: check or show'),
    );

/** Of two values for one option neither is what was meant. */
const refuseRepeats = (flags: Flags): true => {
  const repeated = Object.keys(flags).find((name) => name !== '_' && name !== 'paths' && Array.isArray(flags[name]));
  if (repeated !== undefined) throw new CliFailure('usage', `--${repeated} is given more than once`);
  return true;
};

/** What is wrong with the words themselves, in words of our own where yargs has none. */
const misuse = (message: string, argv: readonly string[]): CliFailure => {
  const said = argv.filter((word) => !word.startsWith('-')).join(' ');
  const meant = /^Did you mean (.*)\?$/.exec(message)?.[1];
  const text =
    meant === undefined
      ? message.replace(/^Not enough non-option arguments: .*/, 'an argument is missing')
      : `unknown command "${said}": did you mean "${meant}"?`;
  return new CliFailure('usage', text, 'harness --help');
};

const fail = (error: unknown, argv: readonly string[]): void => {
  const failure = error instanceof CliFailure ? error : new CliFailure('error', error instanceof Error ? error.message : String(error));
  const terminal = process.stderr.isTTY === true;
  const color = terminal && (process.env['NO_COLOR'] ?? '') === '';
  process.stderr.write(`${renderFailure(failure, { json: argv.includes('--json'), terminal, color })}\n`);
  exitCode = failure.exitCode;
};

const main = async (argv: readonly string[]): Promise<void> => {
  const cli = configCommands(memoryCommands(runCommands(yargs([...argv]).scriptName('harness'))))
    .option('socket', { type: 'string', describe: "the daemon's socket", global: true })
    .option('config', { type: 'string', describe: 'the configuration file', global: true })
    .option('json', { type: 'boolean', default: false, describe: 'print JSON', global: true })
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .strict()
    .strictCommands()
    .detectLocale(false)
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .check(refuseRepeats)
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? misuse(message, argv);
    });
  try {
    await cli.parseAsync();
  } catch (error) {
    fail(error, argv);
  }
};

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

await main(process.argv.slice(2));
process.exitCode = exitCode;
