// How a prompt reaches a `command` (SPEC-0017 REQ-2, REQ-12): by an element of argv, on stdin or in a file, and never nowhere.
import { commandReferences } from '../adapter/render-command.js';
import type { ConfigError } from './errors.js';
import { hasPromptSource } from './harness-kind.js';
import { errorAt, has, NOT_SUPPORTED } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

/** Keys that belong to clients: a command gets its whole call from argv. */
const CLIENT_KEYS = ['auto_accept', 'max_turns', 'quiet', 'system_prompt_file', 'allowed_tools'] as const;

export const checkCommand = (draft: HarnessDraft): readonly ConfigError[] => {
  const { section, values } = draft;
  if (values.harness === undefined) return [];
  if (values.harness !== 'command')
    return (['argv', 'prompt_delivery', 'transcripts'] as const)
      .filter((key) => has(section, key))
      .map((key) => errorAt(section, 'conflict', key, 'needs harness = "command"'));
  return [
    ...CLIENT_KEYS.filter((key) => has(section, key)).map((key) =>
      errorAt(section, 'no_effect', key, 'has no effect on harness = "command"'),
    ),
    ...(has(section, 'argv') ? [] : [errorAt(section, 'missing_key', 'argv', 'is required by harness = "command"')]),
    ...(values.argv === undefined ? [] : [...checkPlaceholders(draft, values.argv), ...checkDelivery(draft, values.argv)]),
  ];
};

const KNOWN_PLACEHOLDER = /\{\{[ \t\r\n]*prompt(?:_file)?\??[ \t\r\n]*\}\}/g;

const checkPlaceholders = ({ section }: HarnessDraft, [, ...rest]: readonly string[]): readonly ConfigError[] =>
  rest.some((element) => element.replace(KNOWN_PLACEHOLDER, '').includes('{{'))
    ? [
        errorAt(
          section,
          'not_supported',
          'argv',
          `holds "{{" outside {{prompt}} and {{prompt_file}}: other placeholders are ${NOT_SUPPORTED}`,
        ),
      ]
    : [];

const checkDelivery = ({ section, values }: HarnessDraft, argv: readonly string[]): readonly ConfigError[] => {
  const references = commandReferences(argv);
  const delivery = has(section, 'prompt_delivery') ? values.prompt_delivery : references.has('prompt') ? 'argv' : undefined;
  if (!hasPromptSource(section)) return withoutPrompt({ section, values, name: '' }, references);
  if (has(section, 'prompt_delivery') && delivery === undefined) return [];
  const errors: ConfigError[] = [];
  if (delivery === undefined || (delivery === 'argv' && !references.has('prompt')))
    errors.push(
      errorAt(
        section,
        'conflict',
        'argv',
        'has no {{prompt}}, so the prompt would be dropped: add it, or set prompt_delivery = "stdin" or "file"',
      ),
    );
  if (references.has('prompt') && delivery !== 'argv')
    errors.push(errorAt(section, 'conflict', 'argv', `holds {{prompt}}, which needs prompt_delivery = "argv", not "${delivery}"`));
  if (references.has('prompt_file') && delivery !== 'file')
    errors.push(errorAt(section, 'conflict', 'argv', 'holds {{prompt_file}}, which needs prompt_delivery = "file"'));
  return errors;
};

const withoutPrompt = ({ section }: HarnessDraft, references: ReadonlySet<string>): readonly ConfigError[] => [
  ...[...references].map((name) => errorAt(section, 'conflict', 'argv', `holds {{${name}}}, but the harness has no prompt`)),
  ...(has(section, 'prompt_delivery') ? [errorAt(section, 'conflict', 'prompt_delivery', 'needs "prompt" or "prompt_file"')] : []),
];
