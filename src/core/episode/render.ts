// The plain-text rendering of an episode: its fields in table order, one a line, the same for the same record (SPEC-0030 REQ-5).
import { EPISODE_FIELDS, type Episode, type SafeEpisode } from './episode.js';

/** `key: value` lines joined by LF, without a trailing one; absent fields and empty lists are left out. */
export const renderEpisode = (episode: SafeEpisode): string =>
  EPISODE_FIELDS.map((field) => [field, renderField(episode, field)] as const)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}: ${value}`)
    .join('\n');

const renderField = (episode: Episode, field: keyof Episode): string => {
  if (field === 'verify_failures') return episode.verify_failures.map(({ class: label, count }) => `${label}: ${count}`).join(', ');
  if (field === 'files_touched') return episode.files_touched.join(', ');
  const value = episode[field];
  if (typeof value === 'number') return formatNumber(value);
  return value === undefined ? '' : String(value);
};

/** The shortest decimal, never with an exponent. */
const formatNumber = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text;
};
