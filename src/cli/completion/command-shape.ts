// What a command takes, read from the same data that the parser is made of.
import type { Argv } from 'yargs';
import type { Command, CommandGroup } from '../command.js';

export interface OptionShape {
  readonly name: string;
  readonly describe: string;
  readonly aliases: readonly string[];
  readonly takesValue: boolean;
  readonly repeats: boolean;
  readonly choices: readonly string[];
  /** On unless it is switched off: `--no-<name>` is what can be said. */
  readonly on: boolean;
}

export interface PositionalShape {
  readonly name: string;
  readonly repeats: boolean;
  readonly choices: readonly string[];
}

export interface CommandShape {
  readonly options: readonly OptionShape[];
  /** In order. */
  readonly positionals: readonly PositionalShape[];
}

export const namesOf = (member: Command | CommandGroup): readonly string[] => {
  if ('word' in member) return [member.word];
  const words = typeof member.words === 'string' ? [member.words] : member.words;
  return words.map((each) => each.split(' ')[0] ?? '');
};

export const shapeOf = ({ words, options }: Command): CommandShape => {
  const seen = record(options);
  const [usage = ''] = typeof words === 'string' ? [words] : words;
  const positionals = [...usage.matchAll(/[<[]([\w-]+)(\.\.)?[>\]]/g)].map(([, name = '', many]) => ({
    name,
    repeats: many !== undefined,
    choices: seen.positionals.get(name)?.choices?.map(String) ?? [],
  }));
  return { options: [...seen.options].map(([name, spec]) => optionShape(name, spec)), positionals };
};

interface Spec {
  readonly type?: string;
  readonly describe?: string;
  readonly alias?: string | readonly string[];
  readonly array?: boolean;
  readonly default?: unknown;
  readonly choices?: readonly unknown[];
}

const optionShape = (name: string, { type, describe = '', alias = [], array = false, choices = [], ...spec }: Spec): OptionShape => ({
  name,
  describe,
  aliases: typeof alias === 'string' ? [alias] : alias,
  takesValue: type !== 'boolean',
  repeats: array,
  choices: choices.map(String),
  on: type === 'boolean' && spec.default === true,
});

interface Recorded {
  readonly options: ReadonlyMap<string, Spec>;
  readonly positionals: ReadonlyMap<string, Spec>;
}

/** Has the command declare itself to a parser that only takes notes. */
const record = (declare: Command['options']): Recorded => {
  const options = new Map<string, Spec>();
  const positionals = new Map<string, Spec>();
  const notes = {
    option: (name: string, spec: Spec) => {
      options.set(name, spec);
      return notes;
    },
    positional: (name: string, spec: Spec) => {
      positionals.set(name, spec);
      return notes;
    },
  };
  declare?.(notes as unknown as Argv);
  return { options, positionals };
};
