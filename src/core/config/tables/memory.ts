// `[memory]` and `[memory.episodes]` (SPEC-0030 REQ-1): who keeps episodes, how they are made and how long they live.
import * as E from 'fp-ts/lib/Either.js';
import type { Closed, Reader } from '../../kernel/closed.js';
import type { MemoryConfig } from '../config.js';
import { quoted } from '../errors.js';
import { EXCERPT_CHARS_BOUNDS, MEMORY_DEFAULTS, PROVIDER_TIMEOUT_BOUNDS, RETENTION_BOUNDS } from '../limits.js';
import { duration, flag, text, whole } from '../readers.js';

/** Only the built-in provider can be named until tool servers can be declared. */
const provider: Reader<string> = (value) => {
  const name = text(value);
  if (E.isLeft(name) || name.right === MEMORY_DEFAULTS.provider) return name;
  return E.left(`= ${quoted(name.right)} names no provider: only ${quoted(MEMORY_DEFAULTS.provider)} is supported in this version`);
};

export const MEMORY_FIELDS = { provider: { read: provider } } as const;

export const EPISODES_FIELDS = {
  retention: { read: duration(RETENTION_BOUNDS) },
  summary: { read: flag },
  provider_timeout: { read: duration(PROVIDER_TIMEOUT_BOUNDS) },
  excerpt_chars: { read: whole(EXCERPT_CHARS_BOUNDS) },
} as const;

/** Absent tables behave as their defaults. */
export const memoryConfig = (memory: Closed<typeof MEMORY_FIELDS>, episodes: Closed<typeof EPISODES_FIELDS>): MemoryConfig => ({
  provider: memory.provider ?? MEMORY_DEFAULTS.provider,
  retention: episodes.retention ?? MEMORY_DEFAULTS.retention,
  summary: episodes.summary ?? MEMORY_DEFAULTS.summary,
  provider_timeout: episodes.provider_timeout ?? MEMORY_DEFAULTS.provider_timeout,
  excerpt_chars: episodes.excerpt_chars ?? MEMORY_DEFAULTS.excerpt_chars,
});
