// Each directory of test/golden/config is a case: a harness.toml and what it names, drop-ins included. It either loads
// (config.json) or does not (errors.txt); with a `project` directory, that project's file is what is loaded beside it, as
// `harness up` would. BLESS=1 writes the outcome anew. `private.env` gets mode 0600, which git cannot keep.
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigError } from '../../src/core/config/errors.js';
import { renderConfigError } from '../../src/core/config/errors.js';
import { loadView } from '../../src/shell/config-files/load-view.js';
import { loadWire } from '../../src/shell/config-files/load-wire.js';
import { findProjectFile, loadProject } from '../../src/shell/config-files/project-file.js';
import { verifies } from '../support/verifies.js';

const cases = join(import.meta.dirname, 'config');
const names = readdirSync(cases);
const workplace = mkdtempSync(join(tmpdir(), 'harness-config-'));
const home = process.env['HOME'];

beforeAll(() => {
  cpSync(cases, workplace, { recursive: true });
  for (const name of names)
    for (const [file, mode] of [
      ['private.env', 0o600],
      ['open.env', 0o644],
    ] as const)
      if (existsSync(join(workplace, name, file))) chmodSync(join(workplace, name, file), mode);
});

afterAll(() => {
  process.env['HOME'] = home;
  rmSync(workplace, { recursive: true, force: true });
});

interface Outcome {
  readonly file: 'errors.txt' | 'config.json';
  readonly text: string;
}

const loadCase = (directory: string): E.Either<readonly ConfigError[], unknown> => {
  const global = join(directory, 'harness.toml');
  const view = loadView(global);
  if (E.isLeft(view)) return view;
  const { config, warnings } = view.right;
  const file = existsSync(join(directory, 'project')) ? findProjectFile(join(directory, 'project/deep'), global, directory) : undefined;
  if (file === undefined) return E.right({ config, warnings });
  const project = loadProject(file, config);
  if (E.isLeft(project)) return project;
  const { name, root, definitions, warnings: told } = project.right;
  const up = loadWire('project_up', name, definitions, config);
  return E.isLeft(up) ? up : E.right({ project: { name, root }, harnesses: up.right, warnings: told });
};

/** Paths become relative to the case. */
const outcomeOf = (name: string): Outcome => {
  const directory = join(workplace, name);
  process.env['HOME'] = directory;
  const loaded = loadCase(directory);
  const here = (text: string): string => text.replaceAll(`${directory}/`, '').replaceAll(directory, '.');
  return E.isLeft(loaded)
    ? { file: 'errors.txt', text: here(`${loaded.left.map(renderConfigError).join('\n')}\n`) }
    : { file: 'config.json', text: here(`${JSON.stringify(loaded.right, null, 2)}\n`) };
};

test.each(names)('%s', (name) => {
  const outcome = outcomeOf(name);
  const expected = (file: Outcome['file']): string => join(cases, name, file);
  if (process.env['BLESS'] === '1') {
    for (const file of ['errors.txt', 'config.json'] as const) rmSync(expected(file), { force: true });
    writeFileSync(expected(outcome.file), outcome.text);
  }
  const [written] = (['errors.txt', 'config.json'] as const).filter((file) => existsSync(expected(file)));
  expect(outcome).toEqual({ file: written, text: readFileSync(expected(outcome.file), 'utf8') });
});

describe('of all cases', () => {
  test('no error shows a secret, a prompt or an environment value', () => {
    const shown = names.map(outcomeOf).filter(({ file }) => file === 'errors.txt');
    expect(shown.filter(({ text }) => text.includes('canary'))).toEqual([]);
  });

  verifies(['SPEC-0030/REQ-1/s3'], 'without a [memory] table the provider is the built-in', () => {
    const without = JSON.parse(outcomeOf('loads-empty').text);
    expect(without.config.memory).toEqual(JSON.parse(outcomeOf('loads-provider-builtin').text).config.memory);
    expect(without.config.memory.provider).toBe('builtin');
  });

  verifies(['SPEC-0030/REQ-8/s2'], 'memory_record = true beside record_trace = false fails as a key that does nothing', () => {
    const { file, text } = outcomeOf('memory-record-without-trace');
    expect(file).toBe('errors.txt');
    expect(text).toMatch(/"memory_record" = true does nothing beside record_trace = false/);
  });

  verifies(['SPEC-0030/REQ-14/out-of-range-cap'], 'a briefing cap out of range fails, naming key and range', () => {
    const { file, text } = outcomeOf('range-briefing');
    expect(file).toBe('errors.txt');
    expect(text.split('\n')[0]).toMatch(/^harness\.toml:4: harness "a": "briefing_max_chars" .*500 to 4000$/);
  });
});
