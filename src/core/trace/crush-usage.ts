// What a crush session used in a run: how much its cumulative totals grew, from where they were last seen (SPEC-0022 REQ-8).
import type { ServedModel } from '../run/record.js';
import type { SessionUsage } from '../run/trace-event.js';
import { growth } from '../run/usage.js';
import { amountAt, countAt, type Row } from './fields.js';

/** As the client counts: what went in, what came out, and what it cost in dollars. */
export interface CrushTotals {
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

export interface CrushSpending {
  /** The totals last seen. */
  readonly last: CrushTotals;
  readonly spent: CrushTotals;
  readonly model_calls: number;
  readonly served: readonly Omit<ServedModel, 'output_tokens'>[];
}

const NONE: CrushTotals = { input: 0, output: 0, cost: 0 };

/** `last` is undefined for a session that began in the run: all that it counts is the run's. */
export const NOTHING_SPENT = (last: CrushTotals | undefined): CrushSpending => ({
  last: last ?? NONE,
  spent: NONE,
  model_calls: 0,
  served: [],
});

export const totalsOf = (row: Row): CrushTotals => ({
  input: countAt(row, 'prompt_tokens') ?? 0,
  output: countAt(row, 'completion_tokens') ?? 0,
  cost: amountAt(row, 'cost') ?? 0,
});

/** A total that went down is where counting begins anew. */
export const spendMore = (before: CrushSpending, last: CrushTotals): CrushSpending => ({
  ...before,
  last,
  spent: {
    input: before.spent.input + growth(last.input, before.last.input),
    output: before.spent.output + growth(last.output, before.last.output),
    cost: before.spent.cost + growth(last.cost, before.last.cost),
  },
});

/** The client does not say which of several models wrote how much. */
export const spendingUsage = ({ spent, model_calls, served }: CrushSpending): SessionUsage => ({
  models: served.map((model) => ({ ...model, output_tokens: served.length === 1 ? spent.output : 0 })),
  tokens: { input: spent.input, output: spent.output, cache_read: 0, cache_write: 0 },
  model_calls,
  cost_usd: spent.cost,
  cost_source: 'recorded',
});
