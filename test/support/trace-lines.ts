// Runs a trace reader over a client's lines as the daemon does: one decoded line at a time, a line that is no JSON dropped.
import type { TraceItem, TraceReader } from '../../src/core/run/trace-event.js';
import { claudeCodeReader } from '../../src/core/trace/claude-code.js';
import { codexReader } from '../../src/core/trace/codex.js';
import { codexRolloutReader } from '../../src/core/trace/codex-rollout.js';

const READ_FROM = Date.UTC(2026, 0, 5, 10);
const SECOND = 1_000;

export interface ReaderRun {
  readonly step: (line: unknown) => readonly TraceItem[];
  readonly finish: () => readonly TraceItem[];
}

/** A fresh run of the reader whose client's name the case's name begins with. */
export const readerFor = (name: string, { cwd, verifyExtras }: { cwd?: string; verifyExtras: readonly string[] }): ReaderRun => {
  if (name.startsWith('claude-code')) return runOf(claudeCodeReader(verifyExtras));
  if (name.endsWith('-rollout') || name.endsWith('-rollout-agent')) return runOf(codexRolloutReader(verifyExtras));
  return runOf(codexReader({ ...(cwd === undefined ? {} : { cwd }), verifyExtras }));
};

/** Lines are read one second apart. */
const runOf = <State>(reader: TraceReader<State>): ReaderRun => {
  let state = reader.initial;
  let now = READ_FROM;
  return {
    step: (line) => {
      const next = reader.step(state, line, now);
      state = next.state;
      now += SECOND;
      return next.items;
    },
    finish: () => reader.finish(state, now),
  };
};

/** What the whole lines of a text say, and what was open at its end. A last line without its LF is not whole. */
export const readAll = (run: ReaderRun, text: string): { readonly items: readonly TraceItem[]; readonly rest: readonly TraceItem[] } => {
  const lines = text.split('\n').slice(0, -1);
  const items = lines.flatMap((line) => {
    const value = decoded(line);
    return value === undefined ? [{ type: 'dropped', reason: 'not_json' } as const] : run.step(value);
  });
  return { items, rest: run.finish() };
};

const decoded = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
