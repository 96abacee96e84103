// What a doctor says: rows in a fixed order, one for each thing looked at and one for each condition found, and their count.

export type Verdict = 'ok' | 'warn' | 'error' | 'info';

export interface CheckRow {
  readonly status: Verdict;
  readonly name: string;
  readonly detail: string;
  /** A command to paste, or what to write where. */
  readonly hint?: string;
}

export interface Report {
  readonly checks: readonly CheckRow[];
  /** Notes are not counted. */
  readonly summary: { readonly passed: number; readonly warned: number; readonly failed: number };
}

const row =
  (status: Verdict) =>
  (name: string, detail: string, hint = ''): CheckRow => ({ status, name, detail, ...(hint === '' ? {} : { hint }) });

export const ok = row('ok');
export const warn = row('warn');
export const error = row('error');
export const info = row('info');

export const report = (checks: readonly CheckRow[]): Report => {
  const count = (status: Verdict): number => checks.filter((check) => check.status === status).length;
  return { checks, summary: { passed: count('ok'), warned: count('warn'), failed: count('error') } };
};

/** `1 warning`, `2 warnings`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
