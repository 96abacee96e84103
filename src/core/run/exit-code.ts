// The exit code of `harness trigger --wait`: the run's own, or one that says why there is none (SPEC-0008).
import type { RunRecord } from './record.js';

export const TIMED_OUT_CODE = 124;
export const SKIPPED_CODE = 75;

export const exitCodeOf = ({ outcome, exit_code }: Pick<RunRecord, 'outcome' | 'exit_code'>): number => {
  if (outcome === 'success') return 0;
  if (outcome === 'timed_out') return TIMED_OUT_CODE;
  if (outcome === 'skipped') return SKIPPED_CODE;
  return exit_code !== undefined && exit_code > 0 ? exit_code : 1;
};
