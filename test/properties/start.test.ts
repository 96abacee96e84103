// What a child starts with: the layers of its environment, the exact argv of each adapter, and what the platform would take.
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { fitsArguments, LINUX_ARGUMENT_BYTES } from '../../src/core/adapter/argument-limit.js';
import { type AdapterTable, BUILTIN_ADAPTERS, OPTION_NAMES } from '../../src/core/adapter/declaration.js';
import { type OptionValues, renderOneShot } from '../../src/core/adapter/render.js';
import { commandReferences, renderCommand } from '../../src/core/adapter/render-command.js';
import { adapterNames, resolveAdapter } from '../../src/core/adapter/resolve.js';
import { childEnvironment, parseEnvFile, RESERVED_NAMES } from '../../src/core/run/environment.js';
import { nastyText } from '../support/arbitraries.js';

describe('the environment of a child', () => {
  const none = { daemon: {}, adapter: {}, files: {}, literals: {}, run: {} };
  const terminal = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

  test('takes each name from its highest layer', () => {
    const layers = ['daemon', 'adapter', 'files', 'literals', 'run'] as const;
    layers.forEach((top, index) => {
      const below = Object.fromEntries(layers.slice(0, index + 1).map((layer) => [layer, { NAME: layer }]));
      expect(childEnvironment({ ...none, ...below })).toEqual({ ...terminal, NAME: top });
    });
  });

  test('has reserved names from the run alone', () => {
    const layer = fc.dictionary(fc.constantFrom(...RESERVED_NAMES, 'KEEP'), fc.string());
    fc.assert(
      fc.property(layer, layer, layer, layer, (daemon, files, literals, run) => {
        const child = childEnvironment({ ...none, daemon, files, literals, run });
        for (const name of RESERVED_NAMES) expect(child[name]).toBe(run[name]);
      }),
    );
  });

  test('takes from env files only the names of secrets_env, when it is set', () => {
    const files = { A: '1', B: '2' };
    expect(childEnvironment({ ...none, files })).toMatchObject({ A: '1', B: '2' });
    expect(childEnvironment({ ...none, files, secrets: ['B', 'C'] })).toEqual({ ...terminal, B: '2' });
    expect(childEnvironment({ ...none, files, secrets: [], literals: { A: 'literal' } })).toEqual({ ...terminal, A: 'literal' });
  });

  test.each([
    [{}, terminal],
    [{ TERM: '' }, terminal],
    [{ TERM: 'dumb' }, terminal],
    [
      { TERM: 'screen', COLORTERM: '' },
      { TERM: 'screen', COLORTERM: '' },
    ],
  ])('with %j has the terminal %j', (daemon, expected) => expect(childEnvironment({ ...none, daemon })).toEqual(expected));
});

describe('an env file', () => {
  test.each([
    ['KEEP=1', { KEEP: '1' }],
    ['  KEEP = 1  ', { KEEP: '1' }],
    ['export KEEP=1\nexport\tOTHER=2', { KEEP: '1', OTHER: '2' }],
    ['# KEEP=1\n\n   \n#', {}],
    ["A=\"x y\"\nB='x y'\nC=\"x'\nD=''", { A: 'x y', B: 'x y', C: '"x\'', D: '' }],
    ['A=""x""', { A: '"x"' }],
    ['URL=postgres://u:p@h/d?x=1', { URL: 'postgres://u:p@h/d?x=1' }],
    ['A=$HOME `id` ${X}', { A: '$HOME `id` ${X}' }],
    ['A=1\r\nB=2\rC=3', { A: '1', B: '2', C: '3' }],
    ['A=1\nA=2', { A: '2' }],
    ['=1\nNOVALUE\nA=', { A: '' }],
    ['A=x # not a comment', { A: 'x # not a comment' }],
    ['', {}],
  ])('%j is %j', (text, values) => expect(parseEnvFile(text)).toEqual(values));

  test('of any text gives names without = or line break, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(nastyText, fc.string({ unit: fc.constantFrom('A', '=', '"', '\n', '\r', '#', ' ', 'export ') })), (text) => {
        for (const name of Object.keys(parseEnvFile(text))) expect(name).not.toMatch(/[=\n\r]|^$/);
      }),
    );
  });
});

const adapter = (name: string, tables: Readonly<Record<string, AdapterTable>> = {}) => {
  const resolved = resolveAdapter(name, tables);
  if (E.isLeft(resolved)) throw new Error(JSON.stringify(resolved.left));
  return resolved.right;
};
const argv = (name: string, options: OptionValues, prompt = 'P', tables = {}) =>
  renderOneShot(adapter(name, tables), { options, session_id: 'UUID', prompt });

const CLAUDE_TAIL = ['--verbose', '--output-format', 'stream-json', '--', 'P'];
const CODEX_HEAD = ['exec', '--json', '--skip-git-repo-check', '--disable', 'unbounded_connection_retries'];

describe('the argv of a built-in adapter', () => {
  test.each([
    ['claude-code', {}, ['-p', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    ['claude-code', { auto_accept: true }, ['-p', '--dangerously-skip-permissions', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    ['claude-code', { auto_accept: false, quiet: true }, ['-p', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    ['claude-code', { model: '--odd model' }, ['-p', '--model', '--odd model', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    ['claude-code', { max_turns: 3 }, ['-p', '--max-turns', '3', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    ['claude-code', { system_prompt_file: '/a b' }, ['-p', '--append-system-prompt-file', '/a b', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    [
      'claude-code',
      { allowed_tools: ['Read', 'Bash(git log:*)'] },
      ['-p', '--session-id', 'UUID', '--allowedTools', 'Read', 'Bash(git log:*)', ...CLAUDE_TAIL],
    ],
    ['claude-code', { allowed_tools: [] }, ['-p', '--session-id', 'UUID', ...CLAUDE_TAIL]],
    [
      'claude-code',
      { allowed_tools: ['Read'], system_prompt_file: 's', quiet: true, max_turns: 9, model: 'm', auto_accept: true },
      [
        ...['-p', '--dangerously-skip-permissions', '--model', 'm', '--max-turns', '9', '--append-system-prompt-file', 's'],
        ...['--session-id', 'UUID', '--allowedTools', 'Read', ...CLAUDE_TAIL],
      ],
    ],
    ['codex', {}, [...CODEX_HEAD, '--', 'P']],
    ['codex', { model: 'm' }, [...CODEX_HEAD, '--model', 'm', '--', 'P']],
    [
      'codex',
      { auto_accept: true, model: 'm' },
      [...CODEX_HEAD, '--model', 'm', '--sandbox', 'workspace-write', '-c', 'approval_policy="never"', '--', 'P'],
    ],
  ])('%s with %j', (name, options, expected) => expect(argv(name, options as OptionValues)).toEqual(E.right(expected)));

  test.each(
    (['max_turns', 'quiet', 'system_prompt_file', 'allowed_tools'] as const).map(
      (option) => [option, option === 'allowed_tools' ? ['x'] : 1] as const,
    ),
  )('codex refuses %s', (option, value) => {
    expect(argv('codex', { [option]: value })).toEqual(E.left({ code: 'unsupported_option', adapter: 'codex', option }));
    expect(E.isRight(argv('codex', { [option]: option === 'allowed_tools' ? [] : false }))).toBe(true);
  });

  test('ends with the prompt, byte for byte, after --, and no option adds or removes another argument', () => {
    const options = fc.record(
      {
        auto_accept: fc.boolean(),
        model: nastyText,
        max_turns: fc.nat(),
        allowed_tools: fc.array(nastyText, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(options, fc.oneof(nastyText, fc.constantFrom('--help', '/init', '{{prompt}}', '{{session_id}}')), (values, prompt) => {
        const rendered = argv('claude-code', values as OptionValues, prompt);
        if (E.isLeft(rendered)) throw new Error(rendered.left.option);
        expect(rendered.right.slice(-2)).toEqual(['--', prompt]);
        const added = Number(values.auto_accept ?? false) + 2 * Number('model' in values) + 2 * Number('max_turns' in values);
        const tools = values.allowed_tools === undefined ? 0 : values.allowed_tools.length + 1;
        expect(rendered.right).toHaveLength(8 + added + tools);
      }),
    );
  });
});

describe('an adapter of one’s own', () => {
  test('replaces lists whole, merges tables by key, and keeps its family', () => {
    const tables = {
      mine: { extends: 'claude-code', executable: '/x', options: { model: ['-m', '{{value}}'] }, env: { A: '1' } },
      theirs: { extends: 'mine', env: { A: '2', ENABLE_TOOL_SEARCH: 'true' }, one_shot: ['{{opt.model}}', '{{prompt}}'] },
    };
    const theirs = adapter('theirs', tables);
    expect([theirs.name, theirs.family, theirs.executable]).toEqual(['theirs', 'claude-code', '/x']);
    expect(theirs.env).toEqual({ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'true', A: '2' });
    expect(argv('theirs', { model: 'm', auto_accept: true }, 'P', tables)).toEqual(E.right(['-m', 'm', 'P']));
  });

  test('named as a built-in overrides it for itself and for those that extend it', () => {
    const tables = { codex: { executable: '/opt/codex' }, mine: { extends: 'codex' } };
    expect([adapter('codex', tables).executable, adapter('mine', tables).executable, adapter('codex').executable]).toEqual([
      '/opt/codex',
      '/opt/codex',
      'codex',
    ]);
    expect(adapterNames(tables)).toEqual([...BUILTIN_ADAPTERS.map(({ name }) => name), 'mine']);
  });

  test.each([
    ['a', {}, { code: 'unknown_adapter', adapter: 'a', known: ['claude-code', 'codex', 'crush'] }],
    ['constructor', {}, { code: 'unknown_adapter', adapter: 'constructor', known: ['claude-code', 'codex', 'crush'] }],
    ['a', { a: {} }, { code: 'missing_extends', adapter: 'a' }],
    ['a', { a: { extends: 'nobody' } }, { code: 'unknown_extends', adapter: 'a', extends: 'nobody' }],
    ['a', { a: { extends: 'b' }, b: { extends: 'nobody' } }, { code: 'unknown_extends', adapter: 'b', extends: 'nobody' }],
    ['a', { a: { extends: 'a' } }, { code: 'extends_cycle', adapter: 'a', through: ['a'] }],
    [
      'a',
      { a: { extends: 'b' }, b: { extends: 'c' }, c: { extends: 'b' } },
      { code: 'extends_cycle', adapter: 'b', through: ['a', 'b', 'c'] },
    ],
  ])('%s among %j is refused', (name, tables, error) => expect(resolveAdapter(name, tables)).toEqual(E.left(error)));

  test('resolves or says why, for any tables', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'codex', 'claude-code', 'nobody');
    fc.assert(
      fc.property(fc.dictionary(names, fc.record({ extends: names }, { requiredKeys: [] })), names, (tables, name) => {
        const resolved = resolveAdapter(name, tables);
        if (E.isRight(resolved)) expect(['claude-code', 'codex']).toContain(resolved.right.family);
      }),
    );
  });

  test('every option a built-in spells is one of the closed names', () => {
    for (const { options } of BUILTIN_ADAPTERS) for (const option of Object.keys(options)) expect(OPTION_NAMES).toContain(option);
  });
});

describe('a command', () => {
  test('keeps each element one argument and fills in the prompt where it is asked for, scanning nothing twice', () => {
    fc.assert(
      fc.property(nastyText, (prompt) => {
        expect(renderCommand(['sh', 'a {{prompt}} {{ prompt? }}', '{{prompt_file}}', 'b'], { prompt })).toEqual([
          'sh',
          `a ${prompt} ${prompt}`,
          '',
          'b',
        ]);
      }),
    );
    expect(renderCommand(['{{prompt}}', '{{prompt}}'], { prompt: '{{prompt_file}} $& $1', prompt_file: '/f' })).toEqual([
      '{{prompt}}',
      '{{prompt_file}} $& $1',
    ]);
    expect([...commandReferences(['{{prompt}}', 'x{{prompt_file}}', '{{other}}'])]).toEqual(['prompt_file']);
  });
});

describe('the argument limit', () => {
  const linux = { linux: true, argMax: 2 * 1024 * 1024 };
  test.each([
    ['one argument at its longest', ['x'.repeat(LINUX_ARGUMENT_BYTES - 1)], {}, linux, true],
    ['one argument a byte longer', ['x'.repeat(LINUX_ARGUMENT_BYTES)], {}, linux, false],
    ['bytes, not characters', ['é'.repeat(LINUX_ARGUMENT_BYTES / 2)], {}, linux, false],
    ['a variable with its name', [], { A: 'x'.repeat(LINUX_ARGUMENT_BYTES - 3) }, linux, true],
    ['a variable a byte longer', [], { A: 'x'.repeat(LINUX_ARGUMENT_BYTES - 2) }, linux, false],
    ['the same argument elsewhere', ['x'.repeat(LINUX_ARGUMENT_BYTES)], {}, { linux: false, argMax: 1024 * 1024 }, true],
    ['all together', Array.from({ length: 17 }, () => 'x'.repeat(LINUX_ARGUMENT_BYTES - 1)), {}, linux, false],
    ['many short ones, by their pointers', Array.from({ length: 250_000 }, () => ''), {}, linux, false],
  ])('counts %s', (_what, args, env, platform, fits) => expect(fitsArguments(args, env as Record<string, string>, platform)).toBe(fits));
});
