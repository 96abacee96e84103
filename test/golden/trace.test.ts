// Each directory of test/golden/trace is a case: lines of a client in, trace items out. BLESS=1 writes the items anew.
// A case holds its lines (input.jsonl) or names a recording of test/fixtures/traces (input.path), and may hold a setting.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TraceItem } from '../../src/core/run/trace-event.js';
import { readAll, readerFor } from '../support/trace-lines.js';

const cases = join(import.meta.dirname, 'trace');
const recordings = join(import.meta.dirname, '../fixtures/traces');

const inputOf = (directory: string): string => {
  const named = join(directory, 'input.path');
  const file = existsSync(named) ? join(recordings, readFileSync(named, 'utf8').trim()) : join(directory, 'input.jsonl');
  return readFileSync(file, 'utf8');
};

const settingOf = (directory: string): { cwd?: string; verifyExtras: string[] } => {
  const file = join(directory, 'setting.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { verifyExtras: [] };
};

const written = (items: readonly TraceItem[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;

test.each(readdirSync(cases))('%s reads as recorded', (name) => {
  const directory = join(cases, name);
  const { items, rest } = readAll(readerFor(name, settingOf(directory)), inputOf(directory));
  const golden = join(directory, 'items.json');
  const now = written([...items, ...rest]);
  if (process.env['BLESS'] === '1') writeFileSync(golden, now);
  expect(now).toBe(readFileSync(golden, 'utf8'));
});
