// The shape of the tree, enforced: layers point one way, there is no cycle, no unlisted folder, and nothing that the package's
// entry reaches is a node builtin.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** A folder may import itself and the folders before it. */
const CORE_ORDER = `kernel untrusted run trace event adapter template skills graph facts config episode provider retrieval gateway
  screening recall briefing loadout kit exposure doctor evals observe wire`.split(/\s+/);

const SHELL_FOLDERS =
  `config-files daemon files git host metrics model-api notify pipelines provider gateway rpc sources store supervise telemetry traces`.split(
    ' ',
  );
const CLI_MAY_IMPORT =
  'shell/rpc/client shell/store/read-only shell/store/offline shell/daemon/state-lock shell/files shell/config-files shell/host'.split(' ');
/** Commands that are the daemon, or its show, may import more of the shell. */
const CLI_FREE = ['cli/commands/daemon.ts', 'cli/commands/mcp.ts', 'cli/commands/demo.ts'];
const FP_TS = ['Either', 'Option', 'function', 'ReadonlyArray', 'ReadonlyNonEmptyArray', 'ReadonlyRecord', 'Ord', 'Json'].map(
  (name) => `fp-ts/lib/${name}.js`,
);

const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return path.endsWith('.ts') || path.endsWith('.tsx') ? [path] : [];
  });

const importsOf = (file: string): readonly string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');

const target = (file: string, specifier: string): string => relative(src, resolve(dirname(file), specifier)).replace(/\.js$/, '.ts');
const isRelative = (specifier: string): boolean => specifier.startsWith('.');

const all = filesUnder(src).map((file) => ({ file, name: relative(src, file), imports: importsOf(file) }));
const core = all.filter(({ name }) => name.startsWith('core/'));
const folderOf = (name: string): string => name.split('/')[1] ?? '';

describe('core', () => {
  test('every folder is listed', () => {
    const folders = [...new Set(core.map(({ name }) => folderOf(name)))].filter((folder) => !folder.endsWith('.ts'));
    expect(folders.filter((folder) => !CORE_ORDER.includes(folder))).toEqual([]);
  });

  test('a folder imports only itself and folders before it', () => {
    const upward = core.flatMap(({ file, name, imports }) =>
      name === 'core/index.ts'
        ? []
        : imports
            .filter(isRelative)
            .map((specifier) => target(file, specifier))
            .filter((to) => !to.startsWith('core/') || CORE_ORDER.indexOf(folderOf(to)) > CORE_ORDER.indexOf(folderOf(name)))
            .map((to) => `${name} → ${to}`),
    );
    expect(upward).toEqual([]);
  });

  test('packages are io-ts and a few modules of fp-ts', () => {
    const foreign = core.flatMap(({ name, imports }) =>
      imports
        .filter((specifier) => !isRelative(specifier) && specifier !== 'io-ts' && !FP_TS.includes(specifier))
        .map((specifier) => `${name} → ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  test('no file is over 300 lines and the median is at most 100', () => {
    const sizes = core.map(({ file, name }) => ({ name, lines: readFileSync(file, 'utf8').split('\n').length - 1 }));
    expect(sizes.filter(({ lines }) => lines > 300)).toEqual([]);
    const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(100);
  });
});

describe('shell and cli', () => {
  test('every shell folder is listed', () => {
    const folders = readdirSync(join(src, 'shell')).filter((name) => statSync(join(src, 'shell', name)).isDirectory());
    expect(folders.filter((folder) => !SHELL_FOLDERS.includes(folder))).toEqual([]);
  });

  test('the shell never imports the cli or the demonstration', () => {
    const wrong = all
      .filter(({ name }) => name.startsWith('shell/'))
      .flatMap(({ file, name, imports }) => imports.filter(isRelative).map((specifier) => [name, target(file, specifier)] as const))
      .filter(([, to]) => to.startsWith('cli/') || to.startsWith('demo/'));
    expect(wrong).toEqual([]);
  });

  test('the cli reaches the shell only through its client and files', () => {
    const wrong = all
      .filter(({ name }) => name.startsWith('cli/') && !CLI_FREE.includes(name))
      .flatMap(({ file, name, imports }) => imports.filter(isRelative).map((specifier) => [name, target(file, specifier)] as const))
      .filter(([, to]) => to.startsWith('shell/') && !CLI_MAY_IMPORT.some((allowed) => to.startsWith(allowed)));
    expect(wrong).toEqual([]);
  });

  test('only the store imports a SQL driver, save for the lock', () => {
    const users = all.filter(({ imports }) => imports.includes('better-sqlite3')).map(({ name }) => name);
    expect(users.filter((name) => !name.startsWith('shell/store/') && name !== 'shell/daemon/state-lock.ts')).toEqual([]);
  });

  test('the MCP SDK stays inside provider and gateway', () => {
    const users = all
      .filter(({ imports }) => imports.some((specifier) => specifier.startsWith('@modelcontextprotocol/')))
      .map(({ name }) => name);
    expect(users.filter((name) => !/^shell\/(provider|gateway)\//.test(name))).toEqual([]);
  });

  test('files keep their size: shell 400 lines, command 100', () => {
    const over = all
      .filter(({ name }) => !name.startsWith('core/') && !name.includes('/gen/'))
      .map(({ file, name }) => ({ name, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ name, lines }) => lines > (name.startsWith('cli/commands/') ? 100 : 400));
    expect(over).toEqual([]);
  });
});

describe('the package entry', () => {
  test('reaches no node builtin and no cycle', () => {
    const byName = new Map(all.map((entry) => [entry.name, entry]));
    const seen = new Set<string>();
    const path: string[] = [];
    const faults: string[] = [];
    const visit = (name: string): void => {
      if (path.includes(name)) faults.push(`cycle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}`);
      if (seen.has(name)) return;
      seen.add(name);
      path.push(name);
      for (const specifier of byName.get(name)?.imports ?? []) {
        if (specifier.startsWith('node:')) faults.push(`${name} → ${specifier}`);
        const entry = byName.get(name);
        if (isRelative(specifier) && entry !== undefined) visit(target(entry.file, specifier));
      }
      path.pop();
    };
    visit('core/index.ts');
    for (const { name } of core) visit(name);
    expect(faults).toEqual([]);
  });
});

test('no package is loaded late by its own name, unless it stays outside the bundle', () => {
  const outside = /external: \[([^\]]*)\]/.exec(readFileSync(join(root, 'scripts', 'bundle.mjs'), 'utf8'))?.[1] ?? '';
  const late = all.flatMap(({ file, name }) =>
    [...readFileSync(file, 'utf8').matchAll(/import\('([^.'][^']*)'\)/g)]
      .map((match) => match[1] ?? '')
      .filter((specifier) => !outside.includes(`'${specifier}'`))
      .map((specifier) => `${name} → ${specifier}`),
  );
  expect(late).toEqual([]);
});
