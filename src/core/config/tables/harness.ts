// `[harness.<name>]`: what runs, with which prompt, where, and what is remembered of it (SPEC-0006, SPEC-0008, SPEC-0017,
// SPEC-0030 REQ-8, REQ-14, REQ-16). What keys mean together is checked beside this file.
import * as E from 'fp-ts/lib/Either.js';
import { OPTION_NAMES, type OptionName } from '../../adapter/declaration.js';
import type { OptionValues } from '../../adapter/render.js';
import type { Closed, Reader } from '../../kernel/closed.js';
import type { HarnessConfig, PromptSource } from '../config.js';
import {
  BRIEFING_MAX_CHARS,
  KEEP_RUNS_BOUNDS,
  KEEP_RUNS_DEFAULT,
  MAX_TURNS_BOUNDS,
  RESTART_DELAY_DEFAULT,
  RUN_TIMEOUT_BOUNDS,
  RUN_TIMEOUT_DEFAULT,
} from '../limits.js';
import { argumentsList, duration, flag, oneOf, pathOrPaths, someWords, text, variableNames, variables, whole } from '../readers.js';
import { NOT_SUPPORTED, type Section } from '../section.js';
import { positionOf } from '../source.js';

export const DELIVERIES = ['argv', 'stdin', 'file'] as const;

/** An enumeration of which this version has only one value. */
const only =
  (built: string, known: readonly string[]): Reader<string> =>
  (value) => {
    if (value === built) return E.right(built);
    return known.some((each) => each === value)
      ? E.left(`= "${value}" is ${NOT_SUPPORTED}; accepted: "${built}"`)
      : E.left(`must be "${built}", the one value of this version`);
  };

const toolNames: Reader<readonly string[]> = (value) => {
  const names = someWords(value);
  if (E.isLeft(names)) return names;
  const trimmed = names.right.map((name) => name.trim());
  return trimmed.some((name) => name.startsWith('-')) ? E.left('must not hold an entry that starts with "-"') : E.right(trimmed);
};

const command: Reader<readonly string[]> = (value) => {
  const argv = argumentsList(value);
  const [program = ''] = E.isRight(argv) ? argv.right : [];
  if (program.trim() === '') return E.left('must be a non-empty list of strings without NUL whose first names the program');
  return program.includes('{{') ? E.left('must begin with a literal program, without "{{"') : argv;
};

export const HARNESS_FIELDS = {
  harness: { read: text, required: true },
  description: { read: text },
  prompt: { read: text },
  prompt_file: { read: text },
  argv: { read: command },
  prompt_delivery: { read: oneOf(DELIVERIES) },
  args: { read: argumentsList },
  workdir: { read: text },
  env_file: { read: pathOrPaths },
  env: { read: variables },
  secrets_env: { read: variableNames },
  model: { read: text },
  auto_accept: { read: flag },
  max_turns: { read: whole(MAX_TURNS_BOUNDS) },
  quiet: { read: flag },
  system_prompt_file: { read: text },
  allowed_tools: { read: toolNames },
  timeout: { read: duration(RUN_TIMEOUT_BOUNDS) },
  on_overlap: { read: only('skip', ['queue']) },
  keep_runs: { read: whole(KEEP_RUNS_BOUNDS) },
  restart: { read: only('no', ['always', 'unless-stopped', 'on-failure']) },
  enabled: { read: flag },
  record_trace: { read: flag },
  memory_record: { read: flag },
  memory_briefing: { read: flag },
  briefing_max_chars: { read: whole(BRIEFING_MAX_CHARS) },
  untrusted_inline: { read: flag },
} as const;

export type HarnessValues = Closed<typeof HARNESS_FIELDS>;

/** One harness on its way: its table and what could be read of it. */
export interface HarnessDraft {
  readonly section: Section;
  readonly name: string;
  readonly values: HarnessValues;
}

export const harnessConfig = ({ section, name, values }: HarnessDraft): HarnessConfig => {
  const at = (path: string): string => section.source.paths.get(path)?.path ?? path;
  const prompt = promptOf(values, at);
  const { description, workdir, argv, prompt_delivery, secrets_env } = values;
  return {
    name,
    at: positionOf(section.source, section.path),
    harness: values.harness ?? '',
    ...(description === undefined ? {} : { description }),
    kind: 'oneshot',
    enabled: values.enabled ?? false,
    restart: 'no',
    restart_delay: RESTART_DELAY_DEFAULT,
    on_overlap: 'skip',
    catch_up: false,
    ...(workdir === undefined ? {} : { workdir: at(workdir) }),
    ...(argv === undefined ? {} : { argv }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(prompt_delivery === undefined ? {} : { prompt_delivery }),
    options: optionsOf(values, at),
    env_file: (values.env_file ?? []).map(at),
    env: values.env ?? {},
    ...(secrets_env === undefined ? {} : { secrets_env }),
    timeout: values.timeout ?? RUN_TIMEOUT_DEFAULT,
    keep_runs: values.keep_runs ?? KEEP_RUNS_DEFAULT,
    record_trace: values.record_trace ?? true,
    memory_record: values.memory_record ?? true,
    memory_briefing: values.memory_briefing ?? false,
    briefing_max_chars: values.briefing_max_chars ?? BRIEFING_MAX_CHARS.default,
    untrusted_inline: values.untrusted_inline ?? false,
  };
};

const promptOf = ({ prompt, prompt_file }: HarnessValues, at: (path: string) => string): PromptSource | undefined => {
  if (prompt !== undefined) return { kind: 'prompt', text: prompt };
  return prompt_file === undefined ? undefined : { kind: 'prompt_file', path: at(prompt_file) };
};

const optionsOf = (values: HarnessValues, at: (path: string) => string): OptionValues =>
  Object.fromEntries(
    OPTION_NAMES.flatMap((name: OptionName) => {
      const value = values[name];
      if (value === undefined) return [];
      return [[name, name === 'system_prompt_file' && typeof value === 'string' ? at(value) : value]];
    }),
  );
