// What a harness must be to run at all (SPEC-0006, SPEC-0008, SPEC-0014): it is a one-shot when it has a prompt source, or is a
// command that does not restart. Residents are not supported in this version.
import { type ConfigError, quotedList } from './errors.js';
import { errorAt, firstOf, has, NOT_SUPPORTED, type Section } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

export const PROMPT_SOURCES = ['prompt', 'prompt_file', 'prompt_template', 'prompt_template_file'] as const;
const FIRING_KEYS = ['schedule', 'triggers'] as const;
const RUN_KEYS = ['timeout', 'on_overlap', 'keep_runs'] as const;

export const hasPromptSource = (section: Section): boolean => firstOf(section, PROMPT_SOURCES) !== undefined;

/** By presence, so that a prompt that is wrong in itself does not also look missing. */
export const isOneShot = ({ section, values }: HarnessDraft): boolean =>
  hasPromptSource(section) ||
  (values.harness === 'command' && (firstOf(section, FIRING_KEYS) !== undefined || section.table['restart'] === 'no'));

export const checkOneShot = (draft: HarnessDraft): readonly ConfigError[] => [
  ...(isOneShot(draft) ? checkEnabled(draft) : checkResident(draft)),
  ...checkPromptSources(draft.section),
  ...checkArgs(draft),
];

const checkEnabled = ({ section, values }: HarnessDraft): readonly ConfigError[] =>
  values.enabled === true
    ? [errorAt(section, 'conflict', 'enabled', 'cannot be true on a one-shot: it runs when something starts it')]
    : [];

const checkResident = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  if (values.harness === undefined) return [];
  const way = values.harness === 'command' ? '"prompt", "prompt_file" or restart = "no"' : '"prompt" or "prompt_file"';
  return [
    errorAt(section, 'not_supported', undefined, `resident harnesses are ${NOT_SUPPORTED}: make it a one-shot with ${way}`),
    ...RUN_KEYS.filter((key) => has(section, key)).map((key) => errorAt(section, 'conflict', key, 'needs a one-shot')),
  ];
};

const checkPromptSources = (section: Section): readonly ConfigError[] => {
  const given = PROMPT_SOURCES.filter((key) => has(section, key));
  return given.length < 2
    ? []
    : [errorAt(section, 'conflict', given[1], `excludes the other prompt sources, and ${quotedList(given)} are set`)];
};

const checkArgs = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  if (!has(section, 'args')) return [];
  if (values.harness === 'command') return [errorAt(section, 'conflict', 'args', 'is excluded by harness = "command": write "argv"')];
  const source = firstOf(section, PROMPT_SOURCES);
  return [errorAt(section, 'conflict', 'args', source === undefined ? 'needs a resident harness' : `is excluded by "${source}"`)];
};
