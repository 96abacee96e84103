// What the configuration's files give beside a load: the first file and its examples, the shown values, the secret, the reference.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, describe, expect, test } from 'vitest';
import { renderConfigError } from '../../src/core/config/errors.js';
import { configReference } from '../../src/core/config/reference.js';
import { initFile, writeInitFile } from '../../src/shell/config-files/init-file.js';
import { loadView } from '../../src/shell/config-files/load-view.js';
import { resolveSecret } from '../../src/shell/config-files/resolve-secret.js';
import { showConfig } from '../../src/shell/config-files/show-config.js';

const workplace = mkdtempSync(join(tmpdir(), 'harness-config-files-'));
afterAll(() => rmSync(workplace, { recursive: true, force: true }));

const write = (name: string, text: string, mode = 0o600): string => {
  const file = join(workplace, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
};

const problems = (file: string): readonly string[] => {
  const loaded = loadView(file);
  return E.isLeft(loaded) ? loaded.left.map(renderConfigError) : loaded.right.warnings;
};

describe('the first file', () => {
  const file = join(workplace, 'first/deep/harness.toml');

  test('is written once, for its owner, and loads with nothing to say', () => {
    expect(writeInitFile(file)).toEqual(E.right(undefined));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(initFile());
    expect(problems(file)).toEqual([]);
  });

  test('is never written over', () => {
    writeFileSync(file, '# mine\n');
    expect(writeInitFile(file)).toEqual(E.left(`${file} exists already and was left as it is`));
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
  });

  test('loads with every example made real, beside the files they name', () => {
    const examples = initFile().replace(/^# (?=\[|[a-z_]+ = )/gm, '');
    const tables = [...examples.matchAll(/^\[.*?\]/gm)].map(([header]) => header);
    expect(tables).toContain('[harness.triage]');
    expect(tables).toHaveLength(13);
    write('examples/prompts/upgrade.md', 'Upgrade it.\n');
    write('examples/harness.d/none.txt', '');
    write('examples/upgrade.env', 'OPENAI_API_KEY=x\n');
    write('examples/model-api.env', 'MODEL_API_KEY=x\n');
    const told = problems(write('examples/harness.toml', examples));
    expect(told.filter((line) => !line.includes('"workdir" is not a directory now'))).toEqual([]);
  });
});

describe('the shown values', () => {
  const text =
    '[memory.episodes]\nretention = "30d"\n\n[nightly]\nharness = "codex"\nprompt = "secret plan"\nenv = { TOKEN = "t0ps3cret" }\n';

  test('carry the line that set them, or the default', () => {
    const file = write('shown/harness.toml', text);
    const shown = showConfig(file);
    const values = E.isRight(shown) ? shown.right.values : [];
    const of = (table: string, key: string): unknown => values.find((value) => value.table === table && value.key === key);
    expect(of('memory.episodes', 'retention')).toEqual({
      table: 'memory.episodes',
      key: 'retention',
      value: '"30d"',
      at: { file, line: 2 },
    });
    expect(of('memory.episodes', 'excerpt_chars')).toEqual({ table: 'memory.episodes', key: 'excerpt_chars', value: '600' });
    expect(of('memory', 'provider')).toEqual({ table: 'memory', key: 'provider', value: '"builtin"' });
    expect(of('nightly', 'harness')).toEqual({ table: 'nightly', key: 'harness', value: '"codex"', at: { file, line: 5 } });
    expect(of('nightly', 'prompt')).toMatchObject({ value: '(11 characters)' });
    expect(of('nightly', 'env')).toMatchObject({ value: '{ TOKEN }' });
    expect(JSON.stringify(values)).not.toMatch(/secret plan|t0ps3cret/);
  });

  test('are none when the file does not load', () => {
    const shown = showConfig(write('shown/wrong.toml', 'x = 1\n'));
    expect(E.isLeft(shown) && shown.left.map(({ code }) => code)).toEqual(['unknown_key']);
  });
});

describe('a secret', () => {
  test('is found by name in a file that only its owner reads', () => {
    expect(resolveSecret(write('one.env', '# keys\nexport KEY="v1"\n'), 'KEY')).toEqual(E.right('v1'));
    expect(resolveSecret(write('two.env', 'KEY=v1\n', 0o400), 'KEY')).toEqual(E.right('v1'));
  });

  test('is refused without being told otherwise', () => {
    const refusals = [
      resolveSecret(write('open.env', 'KEY=v1\n', 0o640), 'KEY'),
      resolveSecret(write('empty.env', 'KEY=\n'), 'KEY'),
      resolveSecret(write('other.env', 'KEYS=v1\n'), 'KEY'),
      resolveSecret(write('proto.env', 'A=v1\n'), 'constructor'),
      resolveSecret(join(workplace, 'no.env'), 'KEY'),
      resolveSecret(workplace, 'KEY'),
    ];
    for (const refusal of refusals) expect(E.isLeft(refusal) && refusal.left).not.toContain('v1');
    expect(refusals.every(E.isLeft)).toBe(true);
  });
});

test('docs/config.md is the reference of this version', () => {
  const page = join(import.meta.dirname, '../../docs/config.md');
  if (process.env['BLESS'] === '1') writeFileSync(page, configReference());
  expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(configReference());
});
