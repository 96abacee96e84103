// Laws of loading a configuration: whatever the tables hold, it answers with named, ordered errors or a configuration.
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { type ConfigError, renderConfigError } from '../../src/core/config/errors.js';
import { loadConfig } from '../../src/core/config/load.js';
import { namedPaths } from '../../src/core/config/path-keys.js';
import { TABLES } from '../../src/core/config/placement.js';
import { HARNESS_KEYS } from '../../src/core/config/placement-harness.js';
import { TABLE_KEYS } from '../../src/core/config/placement-keys.js';
import { type ConfigSource, type Door, type PathFact, pathKey, type TomlTable } from '../../src/core/config/source.js';
import { ADAPTER_FIELDS } from '../../src/core/config/tables/adapter.js';
import { HARNESS_FIELDS } from '../../src/core/config/tables/harness.js';
import { EPISODES_FIELDS, MEMORY_FIELDS } from '../../src/core/config/tables/memory.js';
import { MODEL_API_FIELDS } from '../../src/core/config/tables/model-api.js';
import { PROJECT_FIELDS, SERVER_FIELDS } from '../../src/core/config/tables/server.js';
import { BUDGET_FIELDS, GROUP_FIELDS, LEDGER_FIELDS, TRACE_FIELDS } from '../../src/core/config/tables/storage.js';
import { parseToml } from '../../src/shell/config-files/parse-toml.js';

const FILE = 'conf/harness.toml';

/** Gives every key of a tree a line of its own, in key order. */
const linesOf = (tables: TomlTable): Map<string, number> => {
  const lines = new Map<string, number>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, each] of Object.entries(value)) {
      lines.set(pathKey([...path, key]), lines.size + 1);
      walk(each, [...path, key]);
    }
  };
  walk(tables, []);
  return lines;
};

const sourceOf = (tables: TomlTable, door: Door = 'global', fact?: Omit<PathFact, 'path'>): ConfigSource => ({
  file: FILE,
  door,
  tables,
  lines: linesOf(tables),
  paths: new Map(fact === undefined ? [] : namedPaths(tables).map((path) => [path, { path: `/at/${path}`, ...fact }])),
  schedules: new Map(),
  zones: new Map(),
});

const keys = fc.constantFrom(
  ...HARNESS_KEYS.map(({ key }) => key),
  ...Object.values(TABLE_KEYS).flatMap((rows) => rows.map(({ key }) => key)),
);
const words = fc.oneof(keys, fc.constantFrom('harness', 'adapter', '__proto__', 'constructor', 'toString'), fc.string());
const scalars = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.constant(null),
  fc.constantFrom('codex', 'claude-code', 'command', 'builtin', '1d', '${A}', '{{prompt}}', 'http://a.example/v1', 'no', 'stdin'),
  fc.string(),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(words, tie('value'), { maxKeys: 6 })),
}));
const likely = fc.dictionary(keys, fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), anyValue), { maxKeys: 10 });
const tops = fc.constantFrom(...TABLES.map(({ table }) => table.split('.')[0] ?? ''), 'nightly', 'colour');
const trees = fc.dictionary(tops, fc.oneof(likely, fc.dictionary(words, fc.oneof(likely, anyValue), { maxKeys: 3 }), anyValue), {
  maxKeys: 6,
});
const doors = fc.constantFrom<Door>('global', 'drop_in', 'project', 'project_up', 'scratchpad');
const facts = fc.record({
  kind: fc.constantFrom<PathFact['kind']>('missing', 'unreadable', 'file', 'directory', 'other'),
  blank: fc.boolean(),
  secret: fc.boolean(),
});

const errorsOf = (source: ConfigSource): readonly ConfigError[] => {
  const loaded = loadConfig([source]);
  return E.isLeft(loaded) ? loaded.left : [];
};

describe('loading any tables', () => {
  test('answers, with errors that name file and line and come in reading order', () => {
    fc.assert(
      fc.property(trees, doors, fc.option(facts, { nil: undefined }), (tables, door, fact) => {
        const errors = errorsOf(sourceOf(tables, door, fact));
        for (const error of errors) {
          expect(renderConfigError(error).startsWith(`${FILE}:${error.line}: `)).toBe(true);
          expect(renderConfigError(error)).not.toMatch(/[\u0000-\u001f]/);
        }
        const lines = errors.map(({ line }) => line);
        expect(lines).toEqual(lines.toSorted((left, right) => left - right));
      }),
    );
  });

  test('does not depend on the order in which tables and keys are handed over', () => {
    const reversed = (value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, each]) => [key, reversed(each)]),
          );
    fc.assert(
      fc.property(trees, facts, (tables, fact) => {
        const source = sourceOf(tables, 'global', fact);
        const other = { ...source, tables: reversed(tables) as TomlTable };
        expect(errorsOf(other).map(renderConfigError)).toEqual(errorsOf(source).map(renderConfigError));
      }),
    );
  });

  test('one unknown key is one more error', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^zz[a-z]{1,8}$/), fc.constantFrom('harness.a', 'adapter.b', 'memory', 'ledger'), (key, place) => {
        const tables = {
          harness: { a: { harness: 'codex', prompt: 'x' } as Record<string, unknown> },
          adapter: { b: { extends: 'codex' } as Record<string, unknown> },
          memory: {} as Record<string, unknown>,
          ledger: {} as Record<string, unknown>,
        };
        expect(errorsOf(sourceOf(tables))).toEqual([]);
        const table = { 'harness.a': tables.harness.a, 'adapter.b': tables.adapter.b, memory: tables.memory, ledger: tables.ledger }[place];
        if (table !== undefined) table[key] = 1;
        expect(errorsOf(sourceOf(tables)).map((error) => [error.code, error.key])).toEqual([['unknown_key', key]]);
      }),
    );
  });

  test('a text is never shown where a secret or a prompt may stand', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,24}$/).map((text) => `sk-${text}`);
    fc.assert(
      fc.property(secret, (text) => {
        const tables = {
          model_api: { base_url: `http://u:${text}@a.example`, api_key: text, env_file: 'k.env' },
          harness: { a: { harness: 'codex', prompt: text, max_turns: text, env: { HARNESS_NAME: text }, args: [text], enabled: true } },
        };
        const shown = errorsOf(sourceOf(tables)).map(renderConfigError).join('\n');
        expect(shown).toContain('"api_key"');
        expect(shown).not.toContain(text);
      }),
    );
  });
});

describe('doors', () => {
  const oneShot = { harness: 'codex', prompt: 'x' };

  test('a table stands only at its doors', () => {
    for (const { table, doors: open } of TABLES)
      for (const door of ['global', 'drop_in', 'project', 'project_up', 'scratchpad'] as const) {
        const path = table.replace('*', 'a').split('.');
        const inner: TomlTable = path[0] === 'harness' ? oneShot : {};
        const errors = errorsOf(
          sourceOf(
            path.reduceRight<TomlTable>((below, part) => ({ [part]: below }), inner),
            door,
          ),
        );
        expect([table, door, errors.some(({ code }) => code === 'misplaced')]).toEqual([table, door, !open.includes(door)]);
      }
  });

  test.each(['project', 'project_up', 'scratchpad'] as const)(
    'a key that %s may not carry is refused by presence, whatever its value',
    (door) => {
      for (const { key, project, wire } of HARNESS_KEYS)
        for (const value of [false, [], 0, '', {}, true, 'x']) {
          const rule = door === 'project' ? project : wire;
          const refused = rule === 'only_false' ? value !== false : rule !== 'yes';
          const errors = errorsOf(sourceOf({ harness: { a: { ...oneShot, [key]: value } } }, door)).filter((error) => error.key === key);
          expect([key, value, errors.some(({ code }) => code === 'misplaced')]).toEqual([key, value, refused]);
          if (refused) expect(errors.filter(({ code }) => code !== 'unresolved')).toHaveLength(1);
        }
    },
  );

  test('what could widen its rights is refused in a project by presence', () => {
    for (const [key, value] of Object.entries({ memory_briefing: false, untrusted_inline: false, env: {}, mcp_allow: [], loadout: '' }))
      expect(errorsOf(sourceOf({ harness: { a: { ...oneShot, [key]: value } } }, 'project')).map(renderConfigError)).toContain(
        `${FILE}:5: harness "a": "${key}" is global-only: set it in the daemon's harness.toml`,
      );
    const narrowing = { ...oneShot, memory_record: false, briefing_max_chars: 500 };
    expect(errorsOf(sourceOf({ harness: { a: narrowing } }, 'project'))).toEqual([]);
  });
});

test('the keys that are read are the keys the reference names', () => {
  const named = (rows: readonly { readonly key: string; readonly built: boolean }[]): readonly string[] =>
    rows
      .filter(({ built }) => built)
      .map(({ key }) => key)
      .sort();
  expect(Object.keys(HARNESS_FIELDS).sort()).toEqual(named(HARNESS_KEYS));
  const fields = {
    'adapter.*': ADAPTER_FIELDS,
    memory: MEMORY_FIELDS,
    'memory.episodes': EPISODES_FIELDS,
    model_api: MODEL_API_FIELDS,
    ledger: LEDGER_FIELDS,
    trace: TRACE_FIELDS,
    budget: BUDGET_FIELDS,
    server: SERVER_FIELDS,
    project: PROJECT_FIELDS,
    'budget.group.*': GROUP_FIELDS,
  };
  for (const [table, rows] of Object.entries(TABLE_KEYS))
    expect([table, Object.keys(fields[table as keyof typeof fields]).sort()]).toEqual([table, named(rows)]);
});

describe('TOML text', () => {
  const line = fc.oneof(
    fc.string(),
    fc.tuple(keys, scalars).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    fc.constantFrom(
      '[harness.a]',
      '[[x]]',
      '[x.y]',
      'a.b.c = { d = [ { e = 1 } ] }',
      'when = 1979-05-27',
      'n = nan',
      'i = 0x_',
      '"""',
      "'''",
    ),
  );

  test('any text parses or gives one error at one of its lines', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const parsed = parseToml(lines.join('\n'), FILE);
        if (E.isRight(parsed)) return;
        expect(parsed.left.code).toBe('syntax');
        expect(parsed.left.line).toBeLessThanOrEqual(Math.max(1, lines.join('\n').split('\n').length));
      }),
    );
  });

  test('a table and its keys are found at their lines', () => {
    const parsed = parseToml('# one\n[a]\nb = 1\n\n[a.c]\nd.e = { f = [\n 1,\n 2 ] }\n[[l]]\nx = 1\n[[l]]\nx = 2\n', FILE);
    const { tables, lines } = E.isRight(parsed) ? parsed.right : { tables: {}, lines: new Map<string, number>() };
    expect(JSON.parse(JSON.stringify(tables))).toEqual({ a: { b: 1, c: { d: { e: { f: [1, 2] } } } }, l: [{ x: 1 }, { x: 2 }] });
    const at = (...path: (string | number)[]): number | undefined => lines.get(pathKey(path));
    expect([at('a'), at('a', 'b'), at('a', 'c'), at('a', 'c', 'd', 'e'), at('l'), at('l', 1), at('l', 1, 'x')]).toEqual([
      2, 3, 5, 6, 9, 11, 12,
    ]);
  });

  test('a string of any length and spelling is read as it is', () => {
    const part = fc.constantFrom('a', 'é', '😀', ' ', '\n', '"', "'", '\\', '#', 'word '.repeat(5_000));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const plain = text.replaceAll("'", '');
        const spelled = JSON.stringify(text);
        const multiline = `"""\n${spelled.slice(1, -1).replaceAll('\\n', '\n').replaceAll('word word', 'word \\\n  word')}"""`;
        const parsed = parseToml(`a = ${spelled}\n[t]\nb = ${multiline}\nc = ["x", "y"]\nd = '''\n${plain}'''\n`, FILE);
        const { tables, lines } = E.isRight(parsed) ? parsed.right : { tables: {} as TomlTable, lines: new Map<string, number>() };
        expect([tables['a'] === text, tables['t']]).toEqual([true, { b: text, c: ['x', 'y'], d: plain }]);
        expect(lines.get(pathKey(['t', 'c']))).toBe(4 + multiline.split('\n').length - 1);
      }),
    );
  });

  test('a date is no value, and a name of an object is a key like any other', () => {
    const parsed = parseToml('a = 1979-05-27\n__proto__ = 1\n[constructor]\nb = 2\n', FILE);
    const tables: TomlTable = E.isRight(parsed) ? parsed.right.tables : {};
    expect(Object.entries(tables).map(([key]) => key)).toEqual(['a', '__proto__', 'constructor']);
    expect(tables['a']).toBeNull();
  });
});
