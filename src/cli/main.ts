#!/usr/bin/env node
// The command line: puts the commands together, and turns failures into words and exit codes.
import './stand-somewhere.js';
import yargs from 'yargs';
import { addCommands } from './command.js';
import { ASK } from './completion/shells.js';
import type { Flags } from './flags.js';
import { renderFailure } from './render/failure.js';
import { CliFailure } from './session.js';
import { ALL_COMMANDS } from './tree/all-commands.js';
import { VERSION } from './version.js';

let exitCode = 0;

/** What may hold several words. */
const LISTS = ['_', '--', 'paths', 'args'];

/** Of two values for one option neither is what was meant. */
const refuseRepeats = (flags: Flags): true => {
  const repeated = Object.keys(flags).find((name) => !LISTS.includes(name) && Array.isArray(flags[name]));
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

/** A shell's question is no command line: it is unfinished, and nobody reads what is wrong with it. */
const answer = async (words: readonly string[]): Promise<void> => {
  const { answerShell } = await import('./commands/completion.js');
  process.stdout.write(await answerShell(ALL_COMMANDS, words).catch(() => ''));
};

const main = async (argv: readonly string[]): Promise<void> => {
  if (argv[0] === ASK) return answer(argv.slice(1));
  const cli = addCommands(yargs([...argv]).scriptName('harness'), ALL_COMMANDS, (code) => {
    exitCode = code;
  })
    .option('socket', { type: 'string', describe: "the daemon's socket", global: true })
    .option('config', { type: 'string', describe: 'the configuration file', global: true })
    .option('json', { type: 'boolean', default: false, describe: 'print JSON', global: true })
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .parserConfiguration({ 'populate--': true })
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
