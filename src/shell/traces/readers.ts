// Which reader understands a family's stream, and what only a file beside the stream can tell.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Family } from '../../core/adapter/declaration.js';
import type { Environment } from '../../core/run/environment.js';
import type { SessionRow } from '../../core/run/session.js';
import type { TraceItem, TraceReader } from '../../core/run/trace-event.js';
import { claudeCodeReader } from '../../core/trace/claude-code.js';
import { codexReader, rolloutModel } from '../../core/trace/codex.js';

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

/** The model that served a session whose stream names none: codex writes it to the rollout that its thread id names. */
export const modelBesideStream = async (family: Family, env: Environment, session: SessionRow): Promise<string | undefined> => {
  if (family !== 'codex') return undefined;
  const root = join(env['CODEX_HOME'] ?? join(env['HOME'] ?? '', '.codex'), 'sessions');
  const file = await findRollout(root, session.session_id);
  return file === undefined ? undefined : firstModel(file);
};

/** Looks in the newest three days only: the run has just ended. */
const findRollout = async (root: string, thread: string): Promise<string | undefined> => {
  for (const day of (await newestDays(root)).slice(0, 3)) {
    const name = (await namesOf(day)).find((entry) => entry.startsWith('rollout-') && entry.endsWith(`${thread}.jsonl`));
    if (name !== undefined) return join(day, name);
  }
  return undefined;
};

const newestDays = async (root: string): Promise<readonly string[]> => {
  const days: string[] = [];
  for (const year of (await namesOf(root)).slice(0, 2))
    for (const month of (await namesOf(join(root, year))).slice(0, 2))
      for (const day of await namesOf(join(root, year, month))) days.push(join(root, year, month, day));
  return days;
};

/** Names in a directory, last first. */
const namesOf = async (directory: string): Promise<readonly string[]> => {
  const names = await readdir(directory).catch(() => [] as string[]);
  return names.sort((a, b) => (a < b ? 1 : -1));
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
