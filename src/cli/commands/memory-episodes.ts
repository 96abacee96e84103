// `harness memory episodes [id]`: the stored episodes, newest first, or one in full.
import type { Episode } from '../../core/episode/episode.js';
import { callDaemon } from '../daemon-call.js';
import { renderMoment } from '../render/moment.js';
import { renderTable, shorten } from '../render/table.js';
import type { Session } from '../session.js';
import { readSince } from '../since.js';

export interface EpisodesFlags {
  readonly harness: string;
  readonly repo: string;
  readonly since: string | undefined;
  readonly limit: number;
  readonly wide: boolean;
}

export const runMemoryEpisodes = async (session: Session, flags: EpisodesFlags): Promise<void> => {
  const { harness, repo, limit } = flags;
  const since = readSince(flags.since, Date.now());
  const reply = await callDaemon(session, ({ memory }) => memory.listEpisodes({ harness, repo, since, limit }));
  const episodes = reply.episodes.map((row) => ({ ...(JSON.parse(row.episodeJson) as Episode), at: row.at, recorded_at: row.recordedAt }));
  if (session.json) return session.print(JSON.stringify({ episodes }));
  const rows = episodes.map((episode) => [
    episode.episode_id,
    shorten(`${episode.harness}#${episode.run_id}`, 20),
    episode.outcome,
    renderMoment(episode.at),
    ...(flags.wide ? [episode.repo, episode.branch ?? '-'] : []),
  ]);
  const header = ['EPISODE', 'RUN', 'OUTCOME', 'AT', ...(flags.wide ? ['REPOSITORY', 'BRANCH'] : [])];
  session.print(renderTable(header, rows, 'no episode is stored: harness memory status says what was skipped'));
};

export const runMemoryEpisode = async (session: Session, episodeId: string): Promise<void> => {
  const { episode } = await callDaemon(session, ({ memory }) => memory.getEpisode({ episodeId }));
  if (episode === undefined) return;
  const shown = { ...(JSON.parse(episode.episodeJson) as Episode), at: episode.at, recorded_at: episode.recordedAt };
  session.print(session.json ? JSON.stringify(shown) : `${episode.text}\nrecorded_at: ${episode.recordedAt}`);
};
