// Runs the named benchmarks, prints one table, and keeps the rows as JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTable } from '../src/cli/render/table.js';
import { recallBench } from './recall.js';
import { recordBench } from './record.js';
import { redactBench } from './redact.js';
import type { BenchRow } from './row.js';
import { spawnBench } from './spawn.js';
import { bootBench, cliBench } from './start.js';

const BENCHES: Readonly<Record<string, (root: string) => Promise<readonly BenchRow[]>>> = {
  record: recordBench,
  recall: recallBench,
  redact: redactBench,
  boot: bootBench,
  spawn: spawnBench,
  cli: cliBench,
};

const [root = '.', ...asked] = process.argv.slice(2);
const names = asked.length === 0 ? Object.keys(BENCHES) : asked;
const unknown = names.filter((name) => BENCHES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark ${unknown.join(', ')}: there are ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(1);
}

const rows: BenchRow[] = [];
for (const name of names) {
  process.stderr.write(`measuring ${name}\n`);
  rows.push(...((await BENCHES[name]?.(root)) ?? []));
}

const table = renderTable(
  ['NAME', 'WORK', 'VALUE', 'FLOOR', 'RATIO', 'GOAL', ''],
  rows.map((row) => [
    row.name,
    row.work,
    `${row.value} ${row.unit}`,
    String(row.floor),
    `${row.ratio}×`,
    row.goal,
    row.ok ? 'ok' : 'MISSED',
  ]),
  'nothing measured',
);
const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'latest.json'), `${JSON.stringify(rows, null, 2)}\n`);
writeFileSync(join(results, 'latest.txt'), `${table}\n`);
process.stdout.write(`${table}\n`);
