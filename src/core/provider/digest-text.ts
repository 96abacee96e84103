// What the built-in provider serves of an episode: short, since a briefing has room for little, and made when it is recorded.

import type { Episode } from '../episode/episode.js';
import { capCodePoints } from '../kernel/text.js';

const DIGEST_CHARS = 300;
const EXCERPT_CHARS = 160;
const FILES_SHOWN = 3;

type DigestFields = Partial<Pick<Episode, 'summary' | 'result_excerpt' | 'verify_failures' | 'files_touched'>>;

/** The summary, else the head of the result; then what failed to verify and what was edited. At most 300 code points. */
export const episodeDigest = (episode: DigestFields): string => {
  const said = episode.summary ?? capCodePoints(episode.result_excerpt ?? '', EXCERPT_CHARS);
  const facts = [verifyPart(episode.verify_failures ?? []), editPart(episode.files_touched ?? [])].filter((part) => part !== '').join('; ');
  return capCodePoints([said, facts].filter((line) => line !== '').join('\n'), DIGEST_CHARS);
};

const verifyPart = (failures: Episode['verify_failures']): string =>
  failures.length === 0 ? '' : `verify ${failures.map(({ class: label, count }) => `${label} ${count}`).join(', ')}`;

const editPart = (files: readonly string[]): string => {
  if (files.length === 0) return '';
  const names = files.slice(0, FILES_SHOWN).map((file) => file.slice(file.lastIndexOf('/') + 1));
  const more = files.length > FILES_SHOWN ? ` +${files.length - FILES_SHOWN}` : '';
  return `edited ${names.join(', ')}${more}`;
};
