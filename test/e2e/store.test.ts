// Copies of the store through the command line: taken in use or at rest, put back only when that is safe, and the ledger as lines.
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { spawn as spawnTerminal } from 'node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI, makeRig, type Rig } from '../support/rig.js';

let rig: Rig;
const TRUE = '[harness.job]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n';
const slow = (marker: string): string =>
  `[harness.slow]\nharness = "command"\nargv = ["sh", "-c", "touch ${marker}; exec sleep 600"]\nrestart = "no"\n`;

const backups = (): readonly string[] => {
  const directory = rig.path('state', 'harness', 'backups');
  return existsSync(directory) ? readdirSync(directory).sort() : [];
};
const runsIn = (file: string): number => {
  const db = new Sqlite(file, { readonly: true });
  const count = db.prepare<[], number>('SELECT count(*) FROM run').pluck().get() ?? 0;
  db.close();
  return count;
};
const linesIn = (file: string): readonly string[] => {
  const db = new Sqlite(file, { readonly: true });
  const lines = db.prepare<[], string>('SELECT line FROM ledger_line ORDER BY seq').pluck().all();
  db.close();
  return lines;
};
const refused = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await rig.cli('store', ...args);
  expect([args, code, stdout]).toEqual([args, 1, '']);
  return stderr;
};

beforeAll(async () => {
  rig = makeRig();
  rig.configure(`${TRUE}${slow(rig.path('going'))}
[harness.thief]
harness = "command"
argv = ["${process.execPath}", "${CLI}", "store", "backup", "${rig.path('stolen.db')}"]
restart = "no"
`);
});
afterAll(() => rig.dispose());

describe('with a daemon', () => {
  beforeAll(async () => {
    await rig.start();
    await rig.run('job');
    await rig.daemon().control.trigger({ harness: 'slow' });
  });

  test('backup copies the store in use, privately, under a name that is not pruned', async () => {
    const { code, stdout, stderr } = await rig.cli('store', 'backup');
    const [name = ''] = backups();
    const file = rig.path('state', 'harness', 'backups', name);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^wrote ${file} \\(\\d+\\.\\d KiB\\)\n$`));
    expect(name).toMatch(/^harness-\d{8}T\d{9}Z-manual\.db$/);
    expect([statSync(file).mode & 0o777, runsIn(file)]).toEqual([0o600, 2]);
  });

  test('backup never writes over a file unless it is told to', async () => {
    const file = rig.write('mine.db', 'mine');
    expect(await refused('backup', file)).toBe(
      `harness backup exists: ${file} is there already and was left as it is (harness store backup --force FILE)\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await rig.json('store', 'backup', file, '--force')).toEqual({ file, bytes: statSync(file).size });
    expect([runsIn(file), statSync(file).mode & 0o777]).toEqual([2, 0o600]);
    expect(await refused('backup', rig.path('nowhere', 'x.db'))).toContain(
      `backup failed: ${rig.path('nowhere', 'x.db')} cannot be written`,
    );
    expect(readdirSync(rig.dir).filter((entry) => entry.endsWith('.partial'))).toEqual([]);
  });

  test('backup never puts a copy in place of the store, by whatever name', async () => {
    const before = statSync(rig.store).ino;
    const alias = rig.path('alias.db');
    symlinkSync(rig.store, alias);
    const linked = rig.path('linked.db');
    linkSync(rig.store, linked);
    const state = rig.path('state', 'harness');
    const own = [rig.store, `${rig.store}-wal`, alias, linked, join(state, 'daemon.lock'), join(state, '..', 'harness', 'harness.db')];
    for (const file of own) expect(await refused('backup', file, '--force')).toContain('is a file of the store itself');
    rmSync(alias);
    rmSync(linked);
    expect(statSync(rig.store).ino).toBe(before);
  });

  test('a process of a run may not copy the store', async () => {
    expect(await rig.run('thief')).toMatchObject({ outcome: 'failed', exit_code: 1 });
    expect((await rig.cli('logs', 'thief')).stdout).toContain('BackupStore is for operators');
    expect(existsSync(rig.path('stolen.db'))).toBe(false);
  });

  test('restore is refused and changes nothing', async () => {
    const [copy = ''] = backups();
    const before = await rig.cli('runs', '--json');
    const said = await refused('restore', rig.path('state', 'harness', 'backups', copy), '--yes');
    expect(said).toContain(`harness daemon running: a daemon (pid ${rig.daemonPid()}) uses ${rig.path('state', 'harness')}: stop it first`);
    expect(await rig.cli('runs', '--json')).toEqual(before);
    expect(readdirSync(rig.path('state', 'harness')).filter((name) => name.endsWith('.restoring'))).toEqual([]);
  });

  test('export prints the lines as they are stored, and status the figures', async () => {
    const { code, stdout, stderr } = await rig.cli('store', 'export', '--ledger');
    expect([code, stdout]).toEqual([0, `${linesIn(rig.store).join('\n')}\n`]);
    expect(stderr).toMatch(/^read from the daemon\n\d+ ledger lines\n$/);
    expect(await rig.cli('store', 'export', '--ledger', '--since', '2100-01-01T00:00:00Z')).toMatchObject({ code: 0, stdout: '' });
    expect(await refused('export')).toContain('say what to export: --ledger');
    const status = await rig.json<Record<string, unknown>>('store', 'status', '--check');
    expect(status).toMatchObject({ file: rig.store, runs: 3, open_runs: 1, ledger_lines: linesIn(rig.store).length });
    expect(Date.parse(`${String(status['checked_at']).slice(0, 23)}Z`)).toBeGreaterThan(Date.now() - 60_000);
    expect((await rig.cli('store', 'status')).stdout).toMatch(/^backups: 1, the newest .*-manual\.db/m);
  });
});

describe('with the daemon down', () => {
  let early: string;
  beforeAll(async () => {
    await rig.stop();
    early = rig.path('early.db');
  });

  test('backup and export work on the file, and say so', async () => {
    expect(await rig.cli('store', 'backup', early)).toMatchObject({
      code: 0,
      stderr: 'the daemon is down: the copy is made by this command\n',
    });
    const exported = await rig.cli('store', 'export', '--ledger');
    expect(exported.stdout).toBe(`${linesIn(early).join('\n')}\n`);
    expect(exported.stderr).toMatch(/^the daemon is down: read from the store\n/);
  });

  test('what is no sound store of a version we know is refused, and nothing changes', async () => {
    const before = readFileSync(rig.store);
    const text = rig.write('text.db', 'this is no database'.repeat(100));
    const foreign = rig.path('foreign.db');
    new Sqlite(foreign).exec('CREATE TABLE a (b)').close();
    const newer = rig.path('newer.db');
    copyFileSync(early, newer);
    new Sqlite(newer).exec("INSERT INTO schema_migrations VALUES (999, 'x')").close();
    const torn = rig.path('torn.db');
    copyFileSync(early, torn);
    truncateSync(torn, statSync(torn).size - 8_192);
    const broken: readonly (readonly [string, string])[] = [
      [text, `harness no harness store: ${text} is no store of Harness`],
      [foreign, `harness no harness store: ${foreign} is no store of Harness`],
      [newer, `harness store newer: ${newer} is at version 999`],
      [torn, `harness store damaged: ${torn} is damaged`],
      [rig.path('none.db'), `harness no harness store: ${rig.path('none.db')} is no file`],
      [rig.store, `harness no harness store: ${rig.store} is the store itself`],
    ];
    for (const [file, said] of broken) expect(await refused('restore', file, '--yes')).toContain(said);
    expect(await refused('restore', early)).toContain('without a terminal to ask on, say --yes');
    expect(readFileSync(rig.store).equals(before)).toBe(true);
    expect(readdirSync(rig.path('state', 'harness')).filter((name) => name.endsWith('.restoring'))).toEqual([]);
  });

  test('on a terminal it asks, and takes only a yes', async () => {
    const answer = (word: string): Promise<{ readonly code: number; readonly shown: string }> =>
      new Promise((resolve) => {
        let shown = '';
        const terminal = spawnTerminal(process.execPath, [CLI, 'store', 'restore', early], {
          env: rig.env as Record<string, string>,
          cols: 200,
        });
        terminal.onData((chunk) => {
          if (!shown.includes('[y/N]') && (shown + chunk).includes('[y/N]')) terminal.write(`${word}\r`);
          shown += chunk;
        });
        terminal.onExit(({ exitCode }) => resolve({ code: exitCode, shown }));
      });
    const before = statSync(rig.store).ino;
    const no = await answer('');
    expect([no.code, statSync(rig.store).ino]).toEqual([1, before]);
    expect(no.shown).toContain(`replace ${rig.store} by it`);
    expect(no.shown).toContain('nothing was changed');
    const yes = await answer('yes');
    expect([yes.code, statSync(rig.store).ino === before]).toEqual([0, false]);
  });

  test('after a restore run ids go on above every one that was given, with or without files', async () => {
    await rig.start();
    for (let n = 0; n < 2; n += 1) await rig.run('job');
    await rig.daemon().control.trigger({ harness: 'slow' });
    expect((await rig.daemon().control.trigger({ harness: 'slow' })).decision).toBe('skipped');
    const given = Object.fromEntries(['job', 'slow'].map((name) => [name, 0]));
    for (const run of await rig.runs()) given[run.harness] = Math.max(given[run.harness] ?? 0, run.run_id);
    await rig.stop();
    const lastSeq = linesIn(rig.store).length;
    const known = backups();
    const { code, stdout } = await rig.cli('store', 'restore', early, '--yes', '--json');
    const restored = JSON.parse(stdout) as { replaced: string };
    expect([code, known.includes(basename(restored.replaced)), runsIn(restored.replaced)]).toEqual([0, false, expect.any(Number)]);
    expect(restored.replaced).toMatch(/backups\/harness-\d{8}T\d{9}Z-replaced\.db$/);
    expect(runsIn(rig.store)).toBe(runsIn(early));
    for (const suffix of ['-wal', '-shm']) expect(existsSync(`${rig.store}${suffix}`)).toBe(false);
    await rig.start();
    expect((await rig.run('job')).run_id).toBe((given['job'] ?? 0) + 1);
    // Neither is a line's number given again.
    expect(
      linesIn(rig.store)
        .map((line) => (JSON.parse(line) as { seq: number }).seq)
        .at(-1),
    ).toBeGreaterThan(lastSeq);
    // The last id of this one was given to a run that was skipped: it has no file.
    expect((await rig.daemon().control.trigger({ harness: 'slow' })).runId).toBe(BigInt((given['slow'] ?? 0) + 1));
    await rig.stop();
  });

  test('a store that is damaged beyond reading is replaced and kept all the same', async () => {
    writeFileSync(rig.store, 'garbage'.repeat(1_000));
    const { code, stdout, stderr } = await rig.cli('store', 'restore', early, '--yes');
    expect([code, runsIn(rig.store)]).toEqual([0, runsIn(early)]);
    expect(stderr).toContain('the replaced store could not be read');
    const kept = /^the replaced store is (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('garbage'.repeat(1_000));
  });

  test('where there was no store the copy becomes it', async () => {
    const fresh = { XDG_STATE_HOME: rig.path('fresh') };
    const { code, stdout } = await rig.cliWith(fresh, 'store', 'restore', early, '--yes', '--json');
    const store = join(rig.path('fresh'), 'harness', 'harness.db');
    expect([code, JSON.parse(stdout)]).toEqual([0, { store, from: early, forgotten_again: 0 }]);
    expect([statSync(store).mode & 0o777, runsIn(store)]).toEqual([0o600, runsIn(early)]);
    expect((await rig.cliWith(fresh, 'store', 'status')).stdout).toContain(`store: ${store}, version`);
  });
});
