// A command as data: its words, its options, and what runs it. Its code is loaded only when it runs.
import type { Argv } from 'yargs';
import type { Flags } from './flags.js';

export interface Command {
  /** As yargs reads it: `trigger <harness>`; the first of several is the name, the others are aliases. */
  readonly words: string | readonly string[];
  readonly describe: string;
  readonly options?: (cli: Argv) => Argv;
  /** A number is the process's exit code. */
  readonly run: (flags: Flags) => Promise<unknown>;
}

/** A word that only leads to commands under it. */
export interface CommandGroup {
  readonly word: string;
  readonly describe: string;
  readonly members: readonly (Command | CommandGroup)[];
  /** What is asked for when no member is named. */
  readonly ask: string;
}

export const LIMIT_DEFAULT = 20;

/** Options that several commands share. */
export const harnessArgument = (cli: Argv): Argv => cli.positional('harness', { type: 'string', describe: 'its name', demandOption: true });
export const since = { type: 'string', describe: 'not older than this: 2h45m, 7d, or an RFC 3339 instant' } as const;
export const wide = { type: 'boolean', default: false, describe: 'more columns' } as const;
export const limit = { type: 'number', default: LIMIT_DEFAULT, describe: 'how many at the most' } as const;

/** Adds commands to the line; `exit` hears the codes they end with. */
export const addCommands = (cli: Argv, members: readonly (Command | CommandGroup)[], exit: (code: number) => void): Argv =>
  members.reduce((line, member) => ('word' in member ? addGroup(line, member, exit) : addCommand(line, member, exit)), cli);

const addCommand = (cli: Argv, { words, describe, options, run }: Command, exit: (code: number) => void): Argv =>
  cli.command(
    words,
    describe,
    (args) => options?.(args) ?? args,
    async (flags) => {
      const code = await run(flags as Flags);
      if (typeof code === 'number') exit(code);
    },
  );

const addGroup = (cli: Argv, { word, describe, members, ask }: CommandGroup, exit: (code: number) => void): Argv =>
  cli.command(word, describe, (group) => addCommands(group, members, exit).demandCommand(1, ask));
