// One measured line: a value, the floor measured in the same run, and their ratio.

export interface BenchRow {
  readonly name: string;
  readonly work: string;
  readonly value: number;
  readonly unit: string;
  readonly floor: number;
  readonly ratio: number;
  readonly goal: string;
  readonly ok: boolean;
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Milliseconds that each of `times` runs of the work takes. */
export const timeEach = async (times: number, work: (index: number) => unknown): Promise<readonly number[]> => {
  const spans: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await work(index);
    spans.push(performance.now() - start);
  }
  return spans;
};

export const round = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
