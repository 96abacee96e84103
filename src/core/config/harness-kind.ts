// What a harness is (SPEC-0006, SPEC-0014, SPEC-0017 REQ-3): a one-shot has a prompt source, or is a command with a schedule or
// without restarts; every other is a resident.
import { firstOf, type Section } from './section.js';

export const PROMPT_SOURCES = ['prompt', 'prompt_file', 'prompt_template', 'prompt_template_file'] as const;
const FIRING_KEYS = ['schedule', 'triggers'] as const;

export const hasPromptSource = (section: Section): boolean => firstOf(section, PROMPT_SOURCES) !== undefined;

/** By presence, so that a prompt that is wrong in itself does not also look missing. */
export const isOneShot = (section: Section): boolean =>
  hasPromptSource(section) ||
  (section.table['harness'] === 'command' && (firstOf(section, FIRING_KEYS) !== undefined || section.table['restart'] === 'no'));
