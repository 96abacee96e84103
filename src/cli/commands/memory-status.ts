// `harness memory status`: the provider, what is stored, what waits, and what was skipped and why.
import { callDaemon } from '../daemon-call.js';
import { renderMoment } from '../render/moment.js';
import type { Session } from '../session.js';

export const runMemoryStatus = async (session: Session): Promise<void> => {
  const reply = await callDaemon(session, ({ memory }) => memory.status({}));
  const shown = {
    provider: reply.provider,
    state: reply.state,
    state_since: reply.stateSince,
    ...(reply.contract === undefined
      ? {}
      : { contract: reply.contract, provider_name: reply.providerName, provider_version: reply.providerVersion }),
    episodes: Number(reply.episodes),
    indexed: Number(reply.indexed),
    pending: { record: Number(reply.pendingRecords), forget: Number(reply.pendingForgets) },
    failed: { record: Number(reply.failedRecords), forget: Number(reply.failedForgets) },
    skipped: numbers(reply.skipped),
    degraded_24h: Number(reply.degraded24h),
    since_start: { episodes: numbers(reply.episodesRecorded), recalls: numbers(reply.recalls), dropped: numbers(reply.resultsDropped) },
    ...(reply.embeddingModel === ''
      ? {}
      : {
          embedding_model: reply.embeddingModel,
          vector_dimension: reply.vectorDimension,
          missing_vectors: Number(reply.missingVectors),
          refused_texts: reply.refusedTexts,
          ...(reply.vectorTrouble === '' ? {} : { vector_trouble: reply.vectorTrouble }),
        }),
  };
  if (session.json) return session.print(JSON.stringify(shown));
  session.print(
    [
      `provider: ${reply.provider} ${reply.state} since ${renderMoment(reply.stateSince)}${reply.contract === undefined ? '' : `, contract ${reply.contract}`}`,
      `episodes: ${reply.episodes} stored, ${reply.indexed} indexed`,
      `records: ${reply.pendingRecords} pending, ${reply.failedRecords} failed`,
      `forgets: ${reply.pendingForgets} pending, ${reply.failedForgets} failed`,
      `skipped runs: ${pairs(shown.skipped)}`,
      `results dropped since start: ${pairs(shown.since_start.dropped)}`,
      `degraded recalls in 24 hours: ${reply.degraded24h}`,
      ...(reply.embeddingModel === '' ? [] : [`vectors: ${vectorLine(reply)}`]),
    ].join('\n'),
  );
};

interface VectorReply {
  readonly embeddingModel: string;
  readonly vectorDimension: number;
  readonly missingVectors: bigint;
  readonly refusedTexts: number;
  readonly vectorTrouble: string;
}

const vectorLine = (reply: VectorReply): string => {
  const refused = reply.refusedTexts === 0 ? '' : `, ${reply.refusedTexts} refused by the endpoint`;
  const trouble = reply.vectorTrouble === '' ? '' : `; the last attempt failed: ${reply.vectorTrouble}`;
  return `${reply.embeddingModel} (${reply.vectorDimension} dimensions), ${reply.missingVectors} missing${refused}${trouble}`;
};

const numbers = (counts: Readonly<Record<string, bigint>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));

const pairs = (counts: Readonly<Record<string, number>>): string => {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none' : some.map(([name, count]) => `${name} ${count}`).join(', ');
};
