// What a day's budgets still allow (SPEC-0021 REQ-4): runs per harness, dollars per harness and altogether. An admitted start counts
// once, even if it never spawns; a run of unknown cost counts as free.

export interface Spent {
  readonly runs: number;
  readonly cost_usd: number;
}

/** By harness, of one day. */
export interface DayTally {
  /** The local date, as text. */
  readonly day: string;
  readonly harnesses: Readonly<Record<string, Spent>>;
}

export interface Allowance {
  readonly max_runs_per_day?: number;
  readonly daily_cost_usd?: number;
}

export type SpendCap = 'daily_cost_usd' | 'max_runs_per_day';

const NOTHING: Spent = { runs: 0, cost_usd: 0 };

export const spentBy = ({ harnesses }: DayTally, harness: string): Spent =>
  Object.hasOwn(harnesses, harness) ? (harnesses[harness] ?? NOTHING) : NOTHING;

export const spentByAll = ({ harnesses }: DayTally): Spent =>
  Object.values(harnesses).reduce((sum, each) => ({ runs: sum.runs + each.runs, cost_usd: sum.cost_usd + each.cost_usd }), NOTHING);

/** Another day begins at nothing. */
export const onDay = (tally: DayTally, day: string): DayTally => (tally.day === day ? tally : { day, harnesses: {} });

export const addSpent = (tally: DayTally, harness: string, more: Partial<Spent>): DayTally => {
  const before = spentBy(tally, harness);
  const after = { runs: before.runs + (more.runs ?? 0), cost_usd: before.cost_usd + (more.cost_usd ?? 0) };
  return { ...tally, harnesses: { ...tally.harnesses, [harness]: after } };
};

/** The first cap that is spent, in the order they are tested, or undefined. */
export const spentCap = (
  tally: DayTally,
  harness: string,
  own: Allowance,
  all: Pick<Allowance, 'daily_cost_usd'>,
): SpendCap | undefined => {
  const spent = spentBy(tally, harness);
  if (own.daily_cost_usd !== undefined && spent.cost_usd >= own.daily_cost_usd) return 'daily_cost_usd';
  if (all.daily_cost_usd !== undefined && spentByAll(tally).cost_usd >= all.daily_cost_usd) return 'daily_cost_usd';
  return own.max_runs_per_day !== undefined && spent.runs >= own.max_runs_per_day ? 'max_runs_per_day' : undefined;
};

/** Whether any cap applies: then a start must not go ahead while the ledger cannot count it. */
export const isBudgeted = (own: Allowance, all: Pick<Allowance, 'daily_cost_usd'>): boolean =>
  own.daily_cost_usd !== undefined || own.max_runs_per_day !== undefined || all.daily_cost_usd !== undefined;
