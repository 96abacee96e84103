// Adds up what a run's sessions used: tokens, served models, cost and model errors (SPEC-0021 REQ-8, SPEC-0022 REQ-4).
import { byCodePoint, byNumber, descending, inTurn, on, sorted } from '../kernel/order.js';
import { COST_SOURCES, type CostSource } from './outcome.js';
import type { RunFields, ServedModel, TokenCounts } from './record.js';
import type { SessionRow } from './session.js';
import type { SessionUsage } from './trace-event.js';

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

export const addTokens = (left: TokenCounts, right: TokenCounts): TokenCounts => ({
  input: left.input + right.input,
  output: left.output + right.output,
  cache_read: left.cache_read + right.cache_read,
  cache_write: left.cache_write + right.cache_write,
});

/** What a session used since its totals were last seen; one that went down begins anew at what it is, and is never negative. */
export const usageSince = (total: SessionUsage, before: SessionUsage | undefined): SessionUsage => {
  if (before === undefined) return total;
  const { tokens } = before;
  const outputs = new Map(before.models.map(({ model, output_tokens }) => [model, output_tokens]));
  return {
    ...total,
    models: total.models.map((each) => ({ ...each, output_tokens: growth(each.output_tokens, outputs.get(each.model) ?? 0) })),
    tokens: {
      input: growth(total.tokens.input, tokens.input),
      output: growth(total.tokens.output, tokens.output),
      cache_read: growth(total.tokens.cache_read, tokens.cache_read),
      cache_write: growth(total.tokens.cache_write, tokens.cache_write),
    },
    ...(total.cost_usd === undefined ? {} : { cost_usd: growth(total.cost_usd, before.cost_usd ?? 0) }),
  };
};

export const growth = (total: number, before: number): number => Math.max(0, total - before);

/** What a session and its sub-agents used together. */
export const usageTogether = (parts: readonly SessionUsage[]): SessionUsage => {
  const costs = parts.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    models: mergeModels(parts.flatMap(({ models }) => models)),
    tokens: parts.map(({ tokens }) => tokens).reduce(addTokens, NO_TOKENS),
    model_calls: parts.reduce((sum, { model_calls }) => sum + model_calls, 0),
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, cost) => sum + cost, 0) }),
    cost_source: parts.length === 0 ? 'unknown' : parts.map(({ cost_source }) => cost_source).reduce(weakerCost, 'recorded'),
  };
};

/** The weaker of two sources: recorded, then priced, then unknown. */
export const weakerCost = (left: CostSource, right: CostSource): CostSource =>
  COST_SOURCES.indexOf(left) >= COST_SOURCES.indexOf(right) ? left : right;

/** Every served pair once, most output tokens first. */
export const mergeModels = (models: readonly ServedModel[]): readonly ServedModel[] => {
  const merged = new Map<string, ServedModel>();
  for (const model of models) {
    const key = `${model.provider ?? ''}\n${model.model}`;
    merged.set(key, { ...model, output_tokens: (merged.get(key)?.output_tokens ?? 0) + model.output_tokens });
  }
  return sorted(
    merged.values(),
    inTurn(
      descending(on((model: ServedModel) => model.output_tokens, byNumber)),
      on((model: ServedModel) => model.model, byCodePoint),
      on((model: ServedModel) => model.provider ?? '', byCodePoint),
    ),
  );
};

/** The usage fields of a run record, from its sessions in the order first seen. */
export const usageFields = (sessions: readonly SessionRow[], errors: Readonly<Record<string, number>>): RunFields => {
  if (sessions.length === 0) return { cost_source: 'unknown' };
  const models = mergeModels(sessions.flatMap((session) => session.models));
  const own = sessions.filter((session) => session.parent_session === undefined);
  const costs = own.filter((session) => session.cost_usd !== undefined);
  const source = own.length === 0 ? 'unknown' : own.map((session) => session.cost_source).reduce(weakerCost, 'recorded');
  const model = models[0]?.model;
  return {
    ...(model === undefined ? {} : { model, models }),
    tokens: own.map((session) => session.tokens).reduce(addTokens, NO_TOKENS),
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, session) => sum + (session.cost_usd ?? 0), 0) }),
    cost_source: source,
    model_calls: own.reduce((sum, session) => sum + session.model_calls, 0),
    ...(Object.keys(errors).length === 0 ? {} : { errors }),
    usage_complete: sessions.every((session) => session.events_complete),
    sessions: sessions.map((session) => ({ id: session.session_id, adapter: session.adapter, trace_id: session.trace_id })),
  };
};
