// What may come next on an unfinished command line. Names that only a daemon or a file knows are asked for by their kind.
import type { Command, CommandGroup } from '../command.js';
import { namesOf, type OptionShape, type PositionalShape, shapeOf } from './command-shape.js';

export interface Candidate {
  readonly word: string;
  readonly describe: string;
}

/** Where values come from that the commands themselves do not list. */
export type ValueKind = 'harnesses' | 'projects' | 'adapters' | 'outcomes' | 'files';

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Values of this kind fit as well, each with `prefix` before it. */
  readonly kind?: ValueKind;
  readonly prefix: string;
  /** What was typed of the last word: candidates that do not begin with it are left out already. */
  readonly typed: string;
}

export type Member = Command | CommandGroup;

const GLOBAL: readonly OptionShape[] = [
  { name: 'socket', describe: "the daemon's socket", takesValue: true },
  { name: 'config', describe: 'the configuration file', takesValue: true },
  { name: 'json', describe: 'print JSON', takesValue: false },
  { name: 'help', describe: 'show help', takesValue: false },
  { name: 'version', describe: 'show version number', takesValue: false },
].map((option) => ({ aliases: [], repeats: false, choices: [], on: false, ...option }));

/** By the command's name and the argument's, else by the argument's alone. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  'run harness': 'adapters',
  harness: 'harnesses',
  as: 'harnesses',
  outcome: 'outcomes',
  project: 'projects',
  file: 'files',
  dir: 'files',
  socket: 'files',
  config: 'files',
  workdir: 'files',
  paths: 'files',
  'log-file': 'files',
};

/** `words` follow the program's name; the last one is unfinished, perhaps empty. */
export const complete = (members: readonly Member[], words: readonly string[]): Completion => {
  const typed = words.at(-1) ?? '';
  const place = walk(members, words.slice(0, -1));
  if (place === undefined) return { candidates: [], prefix: '', typed };
  const [, flag, part] = /^--([\w-]+)=(.*)$/.exec(typed) ?? [];
  if (place.awaiting !== undefined) return valuesOf(place, place.awaiting, '', typed);
  const assigned = flag === undefined || place.verbatim ? undefined : place.options.find((option) => option.name === flag);
  if (assigned !== undefined) return valuesOf(place, assigned, `--${flag}=`, `--${flag}=${part}`);
  if (typed.startsWith('-') && !place.verbatim) return { candidates: optionsLeft(place, typed), prefix: '', typed };
  if (place.command === undefined) return { candidates: beginning(place.members.flatMap(named), typed), prefix: '', typed };
  const positional = place.positionals[place.given] ?? place.positionals.findLast((each) => each.repeats);
  return positional === undefined ? { candidates: [], prefix: '', typed } : valuesOf(place, positional, '', typed);
};

interface Place {
  readonly members: readonly Member[];
  readonly command?: string;
  readonly options: readonly OptionShape[];
  readonly positionals: readonly PositionalShape[];
  /** Positionals so far. */
  readonly given: number;
  readonly used: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly awaiting?: OptionShape;
  /** Behind `--` nothing is an option. */
  readonly verbatim: boolean;
}

/** Undefined where a word leads nowhere. */
const walk = (members: readonly Member[], words: readonly string[]): Place | undefined => {
  let place: Place | undefined = { members, options: GLOBAL, positionals: [], given: 0, used: new Set(), verbatim: false };
  for (const word of words) place = place === undefined ? undefined : step(place, word);
  return place;
};

const step = (place: Place, word: string): Place | undefined => {
  const { awaiting, ...rest } = place;
  if (awaiting !== undefined) return rest;
  if (word === '--' && !place.verbatim) return { ...place, verbatim: true };
  if (word.startsWith('-') && !place.verbatim) return stepOption(rest, word);
  if (place.command !== undefined) return { ...place, given: place.given + 1 };
  const member = place.members.find((each) => namesOf(each).includes(word));
  if (member === undefined) return undefined;
  if ('word' in member) return { ...place, members: member.members };
  const shape = shapeOf(member);
  return { ...place, command: namesOf(member)[0] ?? word, options: [...GLOBAL, ...shape.options], positionals: shape.positionals };
};

const stepOption = (place: Place, word: string): Place => {
  const name = word.replace(/^--?/, '').replace(/=.*$/s, '');
  const option = place.options.find((each) => each.name === name || each.aliases.includes(name));
  if (option === undefined) return place;
  const used = new Set([...place.used, option.name]);
  return option.takesValue && !word.includes('=') ? { ...place, used, awaiting: option } : { ...place, used };
};

const valuesOf = (place: Place, { name, choices }: PositionalShape, prefix: string, typed: string): Completion => {
  const kind = KINDS[`${place.command} ${name}`] ?? KINDS[name];
  const candidates = beginning(
    choices.map((choice) => ({ word: `${prefix}${choice}`, describe: '' })),
    typed,
  );
  return { candidates, prefix, typed, ...(kind === undefined || choices.length > 0 ? {} : { kind }) };
};

const named = (member: Member): readonly Candidate[] => {
  const { describe } = member;
  return namesOf(member).map((word) => ({ word, describe }));
};

const optionsLeft = ({ options, used }: Place, typed: string): readonly Candidate[] =>
  beginning(
    options
      .filter(({ name, repeats }) => repeats || !used.has(name))
      .map(({ name, describe, on }) => ({ word: on ? `--no-${name}` : `--${name}`, describe })),
    typed,
  );

export const beginning = (candidates: readonly Candidate[], typed: string): readonly Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(typed));
