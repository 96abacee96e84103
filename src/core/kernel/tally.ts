// Counts by reason: how the core reports what it dropped, without logging (architecture: `{value, tally}` out).

export type Tally<Reason extends string> = Readonly<Partial<Record<Reason, number>>>;

export const countOf = <Reason extends string>(reasons: Iterable<Reason>): Tally<Reason> => {
  const counts: Partial<Record<Reason, number>> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
};
