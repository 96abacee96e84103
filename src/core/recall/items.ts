// Episodes and runs as items of a memory document, with provenance from our own rows only (SPEC-0030 REQ-9, REQ-12).
import { formatInstantShort, parseInstant, SECOND } from '../kernel/time.js';
import type { AdmittedItem } from '../provider/admit.js';
import { runName, runNodeId } from '../run/node-id.js';
import type { WrappedItem } from '../untrusted/wrapped-item.js';

/** A closed run on a repository, as `recent_runs` shows it. Times are RFC 3339 UTC. */
export interface RecentRun {
  readonly harness: string;
  readonly run_id: number;
  readonly adapter: string;
  readonly model?: string;
  readonly branch?: string;
  readonly outcome: string;
  readonly ended_at: string;
  readonly duration_ms?: number;
  readonly pull_request?: string;
  readonly edited?: readonly string[];
}

/** An admitted episode: its text and score are the provider's, the rest is ours. */
export const episodeItem = ({ episode, at, text, score }: AdmittedItem, provider: string): WrappedItem => {
  const when = toSeconds(at);
  const provenance = {
    adapter: episode.adapter,
    ...(episode.branch === undefined ? {} : { branch: episode.branch }),
    outcome: episode.outcome,
    at: when,
  };
  return {
    id: episode.episode_id,
    label: 'episode',
    kind: 'observed',
    scope: episode.scope,
    status: 'live',
    confidence: 1,
    anchors: [],
    untrusted: true,
    source: {
      run: runName(episode.harness, episode.run_id),
      harness: episode.harness,
      ...(episode.model === undefined ? {} : { model: episode.model }),
      ...provenance,
    },
    provider,
    text,
    extra: { ...(score === undefined ? {} : { score }), ...provenance, repo: episode.repo },
  };
};

export const runItem = (run: RecentRun, scope: string): WrappedItem => ({
  id: runNodeId(run.harness, run.run_id),
  label: 'run',
  kind: 'observed',
  scope,
  status: 'live',
  confidence: 1,
  anchors: [],
  untrusted: false,
  source: { run: runName(run.harness, run.run_id), harness: run.harness, ...(run.model === undefined ? {} : { model: run.model }) },
  text: runText(run),
  extra: {
    adapter: run.adapter,
    ...(run.branch === undefined ? {} : { branch: run.branch }),
    outcome: run.outcome,
    ended_at: toSeconds(run.ended_at),
    ...(run.duration_ms === undefined ? {} : { duration_ms: run.duration_ms }),
    ...(run.pull_request === undefined ? {} : { pull_request: run.pull_request }),
  },
});

const runText = (run: RecentRun): string => {
  const on = run.branch === undefined ? '' : ` on ${run.branch}`;
  const after = run.duration_ms === undefined ? '' : ` after ${Math.round(run.duration_ms / SECOND)} s`;
  const pullRequest = run.pull_request === undefined ? '' : `; PR ${run.pull_request}`;
  const edited = run.edited === undefined || run.edited.length === 0 ? '' : `; edited ${run.edited.join(', ')}`;
  return `${run.adapter}${on}: ${run.outcome}, ended ${toSeconds(run.ended_at)}${after}${pullRequest}${edited}`;
};

/** Seconds are enough for a reader, and shorter. */
const toSeconds = (instant: string): string => {
  const at = parseInstant(instant);
  return at === undefined ? instant : formatInstantShort(at - (at % SECOND));
};
