// The only way from a raw to a safe episode: every string loses control characters, passes the redactor and is then
// capped, in that order, so that neither a NUL nor a cut can hide half a secret (SPEC-0030 REQ-6).
import { sortedDistinct } from '../kernel/order.js';
import { capCodePoints } from '../kernel/text.js';
import { cleanLine, cleanLineOfCharacters, redactOneLine } from '../untrusted/clean.js';
import {
  CLASS_BYTES,
  EPISODE_FIELDS,
  type Episode,
  FILES_MAX,
  NAME_BYTES,
  type RawEpisode,
  type SafeEpisode,
  SUMMARY_CHARS,
  URL_BYTES,
} from './episode.js';

/** Longest path kept of a touched file, in bytes; a path has no bound in the specs, a stored row needs one. */
const PATH_BYTES = 1_024;

/** The episode as it is stored, rendered, summarized and sent. */
export const sanitizeEpisode = (raw: RawEpisode): SafeEpisode => {
  const { result_text, excerpt_chars, ...fields } = raw;
  const excerpt = result_text === undefined || excerpt_chars === 0 ? '' : cleanLineOfCharacters(result_text, excerpt_chars);
  return inFieldOrder({
    ...fields,
    harness: name(raw.harness),
    adapter: name(raw.adapter),
    trace_id: name(raw.trace_id),
    ...(raw.model === undefined ? {} : { model: name(raw.model) }),
    repo: name(raw.repo),
    ...(raw.branch === undefined ? {} : { branch: name(raw.branch) }),
    ...(raw.pull_request === undefined ? {} : { pull_request: cleanLine(raw.pull_request, URL_BYTES) }),
    files_touched: sortedDistinct(raw.files_touched.map((path) => cleanLine(path, PATH_BYTES))).slice(0, FILES_MAX),
    verify_failures: raw.verify_failures.map(({ class: label, count }) => ({ class: cleanLine(label, CLASS_BYTES), count })),
    ...(excerpt.trim() === '' ? {} : { result_excerpt: excerpt }),
    scope: redactOneLine(raw.scope),
  });
};

/** The same episode with a summary; a text that is empty or too long after redaction gives none (SPEC-0030 REQ-7). */
export const withSummary = (episode: SafeEpisode, summary: string): SafeEpisode => {
  const text = redactOneLine(summary).trim();
  return text === '' || capCodePoints(text, SUMMARY_CHARS) !== text ? episode : inFieldOrder({ ...episode, summary: text });
};

const name = (text: string): string => cleanLine(text, NAME_BYTES);

const inFieldOrder = (episode: Episode): SafeEpisode => {
  const ordered = EPISODE_FIELDS.filter((field) => episode[field] !== undefined).map((field) => [field, episode[field]]);
  return Object.fromEntries(ordered) as unknown as SafeEpisode;
};
