// What a shell command is for: checking the work, searching, reading named files, editing by patch, or anything else (ADR-0033).
import type { Action, Target } from '../run/trace-event.js';
import { type SimpleCommand, simpleCommands } from './shell-words.js';

/** A command that holds one of these, in any case, checks the work. */
export const VERIFY_PATTERNS = [
  'go test',
  'go vet',
  'npm test',
  'npm run build',
  'pnpm test',
  'pnpm build',
  'pytest',
  'make test',
  'cargo test',
  'swift test',
] as const;

/** Programs that find things or only report. */
const SEARCHERS = new Set(
  'rg grep egrep fgrep zgrep ag ack find fd fdfind ls tree locate which type stat file du df wc pwd realpath readlink basename dirname'.split(
    ' ',
  ),
);
/** Programs that show files when files are named, and pass their input on otherwise. */
const PAGERS = new Set('cat head tail less more bat batcat nl tac sed'.split(' '));
/** Programs that only reshape their input. */
const FILTERS = new Set('sort uniq cut tr column jq fold rev paste comm diff cmp echo printf true cd'.split(' '));
const GIT_READERS = new Set('grep status log diff show blame ls-files ls-tree rev-parse shortlog describe'.split(' '));
/** Flags that make an otherwise reading program change something. */
const WRITING_FLAGS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    sed: /^(?:-[a-zA-Z]*i.*|--in-place.*)$/,
    find: /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls)$/,
    fd: /^(?:-[xX]|--exec.*)$/,
    fdfind: /^(?:-[xX]|--exec.*)$/,
    sort: /^(?:-o.*|--output.*)$/,
    tree: /^-o$/,
  }),
);
/** Pagers whose `-n` and `-c` take a number. */
const NUMBERED = new Set(['head', 'tail']);
const FLAGS_WITH_VALUE = new Set(['-n', '-c', '--lines', '--bytes']);

const ASSIGNMENT = /^\w+=/;
const GLOB_OR_VARIABLE = /[*?$[{]/;

const PATCH_MARK = '*** Begin Patch';
const PATCH_FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const WRAPPER = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh +-l?c +/;

export interface CommandReading {
  readonly action: Action;
  readonly targets: readonly Target[];
}

/** `extras` are an operator's own verify patterns; blank ones are ignored. */
export const classifyCommand = (command: string, extras: readonly string[] = []): CommandReading => {
  if (command.includes(PATCH_MARK)) return { action: 'edit', targets: patchTargets(command) };
  if (isVerify(command, extras)) return { action: 'verify', targets: [] };
  const parts = simpleCommands(command);
  const kinds = (parts ?? []).map(kindOf);
  if (parts === undefined || kinds.length === 0 || kinds.includes('other')) return { action: 'exec', targets: [] };
  if (kinds.includes('search')) return { action: 'search', targets: [] };
  if (!kinds.includes('page')) return { action: 'exec', targets: [] };
  return { action: 'read', targets: parts.flatMap(pagedFiles).map((path) => ({ path, touch: 'read' })) };
};

/** The files a patch in codex's format adds, updates, deletes or moves to. */
export const patchTargets = (patch: string): readonly Target[] =>
  [...patch.matchAll(PATCH_FILE)].map((found) => ({ path: (found[1] ?? '').trim(), touch: 'edit' }));

/** What `bash -lc '…'` runs; any other command as it is. */
export const unwrappedCommand = (command: string): string => {
  const wrapper = WRAPPER.exec(command);
  if (wrapper === null) return command;
  const parts = simpleCommands(command);
  const script = parts?.length === 1 ? parts[0]?.words.slice(2) : undefined;
  return script?.length === 1 ? (script[0] ?? command) : command;
};

const isVerify = (command: string, extras: readonly string[]): boolean => {
  const text = command.toLowerCase();
  const wanted = extras.map((extra) => extra.trim().toLowerCase()).filter((extra) => extra !== '');
  return [...VERIFY_PATTERNS, ...wanted].some((pattern) => text.includes(pattern));
};

type Kind = 'search' | 'page' | 'filter' | 'other';

const kindOf = ({ words, writes }: SimpleCommand): Kind => {
  const { name, args } = programOf(words);
  if (writes || args.some((arg) => WRITING_FLAGS.get(name)?.test(arg))) return 'other';
  if (name === 'git') return args[0] !== undefined && GIT_READERS.has(args[0]) ? 'search' : 'other';
  if (name === 'xargs') return kindOf({ words: args.filter((arg) => !arg.startsWith('-')), writes });
  if (SEARCHERS.has(name)) return 'search';
  if (PAGERS.has(name)) return pagedFiles({ words, writes }).length > 0 ? 'page' : 'filter';
  return FILTERS.has(name) ? 'filter' : 'other';
};

/** The files a pager names, without its flags, their values and sed's script. */
const pagedFiles = ({ words }: SimpleCommand): readonly string[] => {
  const { name, args } = programOf(words);
  if (!PAGERS.has(name)) return [];
  const named = args.filter((arg, i) => !/^[-+]/.test(arg) && !(NUMBERED.has(name) && FLAGS_WITH_VALUE.has(args[i - 1] ?? '')));
  return (name === 'sed' ? named.slice(1) : named).filter((path) => path !== '' && !GLOB_OR_VARIABLE.test(path));
};

/** The program of a command, past `NAME=value` words and the usual directories. */
const programOf = (words: readonly string[]): { readonly name: string; readonly args: readonly string[] } => {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word));
  const [program = '', ...args] = first < 0 ? [] : words.slice(first);
  return { name: program.replace(/^\/(?:usr\/)?bin\//, ''), args };
};
