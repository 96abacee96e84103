// Keys that stand at the wrong door or under an old name, and placeholders where nothing fills them in (SPEC-0017 REQ-2, REQ-14).
import type { ConfigError } from './errors.js';
import { keyRefusal } from './placement-harness.js';
import { errorAt, type Section } from './section.js';
import { isTable } from './source.js';

/** A repository must not widen its own rights: some keys are refused there by presence. */
export const checkDoors = (section: Section): readonly ConfigError[] =>
  Object.entries(section.table).flatMap(([key, value]) => {
    const refusal = keyRefusal(key, value, section.source.door);
    return refusal === undefined ? [] : [errorAt(section, 'misplaced', key, refusal)];
  });

const PLACEHOLDER = /\{\{[ \t\r\n]*(?:untrusted[ \t\r\n]+)?[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*\??[ \t\r\n]*\}\}/;

/** Prompts are verbatim, and argv is checked where it is rendered. */
const EXEMPT = ['prompt', 'prompt_file', 'prompt_template', 'prompt_template_file', 'argv'];

export const checkPlaceholders = (section: Section): readonly ConfigError[] =>
  Object.entries(section.table)
    .filter(([key, value]) => !EXEMPT.includes(key) && stringsIn(value).some((text) => PLACEHOLDER.test(text)))
    .map(([key]) => errorAt(section, 'invalid_value', key, 'holds a placeholder, which nothing fills in here'));

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isTable(value) ? Object.values(value).flatMap(stringsIn) : [];
};
