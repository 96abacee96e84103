// A Claude Code session's totals: exact at the end of a run, a lower bound while it goes on (SPEC-0022 REQ-8).
import type { ServedModel, TokenCounts } from '../run/record.js';
import type { SessionUsage } from '../run/trace-event.js';
import { amountAt, countAt, nameAt, type Row, rowAt } from './fields.js';

/** A record names so many models at most. */
const MODELS_MAX = 16;

const NO_TOKENS: TokenCounts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

/** What the messages of a run, its sub-agents' included, have said so far. */
export interface MessageTotals {
  readonly tokens: TokenCounts;
  readonly model_calls: number;
  /** Models that answered, in the order first seen. */
  readonly served: readonly string[];
}

export const NO_MESSAGES: MessageTotals = { tokens: NO_TOKENS, model_calls: 0, served: [] };

/** Counts one message of the model; its output tokens are not final while it is streamed. */
export const addMessage = (totals: MessageTotals, message: Row): MessageTotals => {
  const model = nameAt(message, 'model');
  const isNew = model !== undefined && !totals.served.includes(model) && totals.served.length < MODELS_MAX;
  return {
    tokens: addTokens(totals.tokens, messageTokens(rowAt(message, 'usage'))),
    model_calls: totals.model_calls + 1,
    served: isNew ? [...totals.served, model] : totals.served,
  };
};

/** The totals the client itself gives at the end; `cost` is undefined where it names none. */
export const finalUsage = (totals: MessageTotals, modelUsage: Row, usage: Row, cost: number | undefined): SessionUsage => {
  const perModel = requestedModels(modelUsage);
  const tokens = perModel.length === 0 ? messageTokens(usage) : perModel.reduce((sum, { counts }) => addTokens(sum, counts), NO_TOKENS);
  return {
    models: servedModels(totals.served, perModel),
    tokens,
    model_calls: totals.model_calls,
    ...(cost === undefined ? {} : { cost_usd: cost }),
    cost_source: cost === undefined ? 'unknown' : 'recorded',
  };
};

/** What is known of a run that did not end: input is exact, output a lower bound, cost unknown. */
export const partialUsage = ({ tokens, model_calls, served }: MessageTotals): SessionUsage => ({
  models: served.map((model) => ({ model, output_tokens: served.length === 1 ? tokens.output : 0 })),
  tokens,
  model_calls,
  cost_source: 'unknown',
});

interface RequestedModel {
  readonly model: string;
  readonly provider?: string;
  readonly counts: TokenCounts;
}

/** The client counts by the model it asked for, sub-agents and side questions included. */
const requestedModels = (modelUsage: Row): readonly RequestedModel[] =>
  Object.keys(modelUsage)
    .slice(0, MODELS_MAX)
    .map((model) => {
      const row = rowAt(modelUsage, model);
      const provider = nameAt(row, 'provider');
      const counts: TokenCounts = {
        input: countAt(row, 'inputTokens') ?? 0,
        output: countAt(row, 'outputTokens') ?? 0,
        cache_read: countAt(row, 'cacheReadInputTokens') ?? 0,
        cache_write: countAt(row, 'cacheCreationInputTokens') ?? 0,
      };
      return { model, ...(provider === undefined ? {} : { provider }), counts };
    });

/**
 * Output tokens by the model that answered. Where the asked-for name never answered, its tokens go to the first
 * model that answered without having been asked for.
 */
const servedModels = (served: readonly string[], requested: readonly RequestedModel[]): readonly ServedModel[] => {
  const stranger = served.find((model) => !requested.some((asked) => asked.model === model));
  const answered = requested.map(({ model, provider, counts }) => ({
    model: served.includes(model) ? model : (stranger ?? model),
    ...(provider === undefined ? {} : { provider }),
    output_tokens: counts.output,
  }));
  const others = served.filter((model) => !answered.some((entry) => entry.model === model));
  return [...joined(answered), ...others.map((model) => ({ model, output_tokens: 0 }))].slice(0, MODELS_MAX);
};

const joined = (models: readonly ServedModel[]): readonly ServedModel[] => {
  const byModel = new Map<string, ServedModel>();
  for (const entry of models) {
    const before = byModel.get(entry.model)?.output_tokens ?? 0;
    byModel.set(entry.model, { ...entry, output_tokens: before + entry.output_tokens });
  }
  return [...byModel.values()];
};

const messageTokens = (usage: Row): TokenCounts => ({
  input: countAt(usage, 'input_tokens') ?? 0,
  output: countAt(usage, 'output_tokens') ?? 0,
  cache_read: countAt(usage, 'cache_read_input_tokens') ?? 0,
  cache_write: countAt(usage, 'cache_creation_input_tokens') ?? 0,
});

const addTokens = (left: TokenCounts, right: TokenCounts): TokenCounts => ({
  input: left.input + right.input,
  output: left.output + right.output,
  cache_read: left.cache_read + right.cache_read,
  cache_write: left.cache_write + right.cache_write,
});

export const costOf = (row: Row): number | undefined => amountAt(row, 'total_cost_usd') ?? amountAt(row, 'totalCostUSD');
