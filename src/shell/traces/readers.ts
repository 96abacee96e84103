// Which reader understands a family's stream or transcript, and what only a file beside the stream can tell.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Family } from '../../core/adapter/declaration.js';
import type { Environment } from '../../core/run/environment.js';
import type { SessionRow } from '../../core/run/session.js';
import type { SessionUsage, TraceItem, TraceReader, TranscriptReader } from '../../core/run/trace-event.js';
import { claudeCodeReader } from '../../core/trace/claude-code.js';
import { codexReader, rolloutModel } from '../../core/trace/codex.js';
import { codexRolloutReader } from '../../core/trace/codex-rollout.js';
import type { FileFamily } from '../../core/trace/transcript-head.js';
import { rolloutOf } from './transcripts/transcript-store.js';

/** A reader that has begun: its state is its own. */
export interface Reading {
  readonly step: (line: unknown, now: number) => readonly TraceItem[];
  readonly finish: (now: number) => readonly TraceItem[];
}

/** Of a client that says nothing on standard output. */
export const SILENT: Reading = { step: () => [], finish: () => [] };

/** `cwd` is where the child runs; `verify` are the operator's own verify patterns. */
export const readStream = (family: Family, cwd: string, verify: readonly string[]): Reading => {
  switch (family) {
    case 'claude-code':
      return begin(claudeCodeReader(verify));
    case 'codex':
      return begin(codexReader({ cwd, verifyExtras: verify }));
    case 'crush':
      return SILENT;
  }
};

const begin = <State>(reader: TraceReader<State>): Reading => {
  let state = reader.initial;
  return {
    step: (line, now) => {
      const step = reader.step(state, line, now);
      state = step.state;
      return step.items;
    },
    finish: (now) => reader.finish(state, now),
  };
};

/** Of a transcript: what a session used is told apart from what it did, as often as it is asked. */
export interface TranscriptReading extends Reading {
  /** Takes a row from before the run. */
  readonly skip: (line: unknown) => void;
  readonly usage: (now: number) => SessionUsage | undefined;
}

export const readTranscript = (family: FileFamily, verify: readonly string[]): TranscriptReading =>
  family === 'codex' ? beginTranscript(codexRolloutReader(verify)) : beginTranscript(claudeCodeReader(verify));

const beginTranscript = <State>(reader: TranscriptReader<State>): TranscriptReading => {
  let state = reader.initial;
  let settled: SessionUsage | undefined;
  return {
    step: (line, now) => {
      const step = reader.step(state, line, now);
      state = step.state;
      settled = usageIn(step.items) ?? settled;
      return withoutUsage(step.items);
    },
    skip: (line) => {
      state = reader.skip(state, line);
    },
    finish: (now) => withoutUsage(reader.finish(state, now)),
    usage: (now) => usageIn(reader.finish(state, now)) ?? settled,
  };
};

const withoutUsage = (items: readonly TraceItem[]): readonly TraceItem[] => items.filter(({ type }) => type !== 'usage');

const usageIn = (items: readonly TraceItem[]): SessionUsage | undefined =>
  items.flatMap((item) => (item.type === 'usage' ? [item.usage] : [])).at(-1);

/** The model that served a session whose stream names none: codex writes it to the rollout that its thread id names. */
export const modelBesideStream = async (family: Family, env: Environment, session: SessionRow): Promise<string | undefined> => {
  if (family !== 'codex') return undefined;
  const file = await rolloutOf(env, session.session_id);
  return file === undefined ? undefined : firstModel(file);
};

const firstModel = async (file: string): Promise<string | undefined> => {
  const input = createReadStream(file, { encoding: 'utf8' });
  try {
    for await (const line of createInterface({ input })) {
      const model = rolloutModel(parse(line));
      if (model !== undefined) return model;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    input.destroy();
  }
};

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
