// What a one-shot and a resident each take (SPEC-0006, SPEC-0008, SPEC-0014): a key that would mean nothing on one is refused there.
import { type ConfigError, quotedList } from './errors.js';
import { isOneShot, PROMPT_SOURCES } from './harness-kind.js';
import { errorAt, firstOf, has, type Section } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

const RUN_KEYS = ['timeout', 'on_overlap', 'keep_runs'] as const;
/** How a prompt run is spelled; a resident client is called with its args alone. */
const PROMPT_KEYS = ['auto_accept', 'max_turns', 'quiet', 'system_prompt_file', 'allowed_tools', 'model'] as const;
const ONE_SHOT_RESTARTS = ['no', 'on-failure'] as const;

export const checkOneShot = (draft: HarnessDraft): readonly ConfigError[] => [
  ...(draft.values.harness === undefined ? [] : isOneShot(draft.section) ? checkShot(draft) : checkResident(draft)),
  ...checkPromptSources(draft.section),
  ...checkArgs(draft),
];

const checkShot = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  const { enabled, restart } = values;
  const errors: ConfigError[] = [];
  if (enabled === true)
    errors.push(errorAt(section, 'conflict', 'enabled', 'cannot be true on a one-shot: it runs when something starts it'));
  if (restart !== undefined && !ONE_SHOT_RESTARTS.some((each) => each === restart))
    errors.push(
      errorAt(section, 'conflict', 'restart', `= "${restart}" keeps a resident alive; a one-shot takes ${quotedList(ONE_SHOT_RESTARTS)}`),
    );
  if (has(section, 'restart_delay') && restart !== 'on-failure')
    errors.push(errorAt(section, 'no_effect', 'restart_delay', 'has no effect on a one-shot without restart = "on-failure"'));
  if (has(section, 'operating_hours') && !has(section, 'schedule'))
    errors.push(errorAt(section, 'conflict', 'operating_hours', 'needs a resident harness'));
  return errors;
};

const checkResident = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  const way = values.harness === 'command' ? '"prompt", "schedule" or restart = "no"' : '"prompt" or "prompt_file"';
  const needsPrompt = values.harness === 'command' ? [] : [...PROMPT_KEYS.filter((key) => has(section, key))];
  return [
    ...RUN_KEYS.filter((key) => has(section, key)).map((key) => errorAt(section, 'conflict', key, `needs a one-shot: one with ${way}`)),
    ...needsPrompt.map((key) => errorAt(section, 'conflict', key, `needs ${way}: a resident client takes "args" only`)),
    ...(values.harness !== 'command' && has(section, 'schedule') ? [errorAt(section, 'conflict', 'schedule', `needs ${way}`)] : []),
    ...(has(section, 'quota_group') ? [errorAt(section, 'conflict', 'quota_group', 'needs a one-shot: residents take no slot')] : []),
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
  return source === undefined ? [] : [errorAt(section, 'conflict', 'args', `is excluded by "${source}"`)];
};
