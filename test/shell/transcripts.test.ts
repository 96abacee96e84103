// Runs that are known by their transcripts alone, as real processes that keep them: whose sessions are whose, over restarts, in
// company, and where nobody can tell.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HarnessConfig } from '../../src/core/config/config.js';
import type { RunRecord } from '../../src/core/run/record.js';
import type { EventRow, SessionRow } from '../../src/core/run/session.js';
import { aConfig, aHarness, openFleet, type TestFleet } from '../support/fleet.js';
import { makeRepo, until } from '../support/rig.js';
import { openTestStore, type TestStore } from '../support/stores.js';

const AGENT = join(import.meta.dirname, '..', 'support', 'transcript-agent.mjs');
const FAMILIES = ['claude-code', 'codex', 'crush'] as const;
type Family = (typeof FAMILIES)[number];

const TOKEN = `ghp_${'aB3d'.repeat(9)}`;

/** A store, and a repository and a home beside it. */
const surroundings = () => {
  const held = openTestStore();
  const repo = makeRepo(join(realpathSync(held.dir), 'api'));
  return { held, repo, env: { HOME: join(held.dir, 'home') } };
};

const argvOf = (family: Family, steps: readonly object[]): readonly string[] => [process.execPath, AGENT, family, JSON.stringify(steps)];

/** A `command` that names whose transcripts it keeps. */
const command = (
  family: Family,
  workdir: string,
  env: Record<string, string>,
  steps: readonly object[],
  more: Partial<HarnessConfig> = {},
) => aHarness({ argv: argvOf(family, steps), transcripts: family, workdir, env, restart: 'no', ...more });

/** A resident under its own adapter. */
const client = (
  family: Family,
  workdir: string,
  env: Record<string, string>,
  steps: readonly object[],
  more: Partial<HarnessConfig> = {},
) => aHarness({ harness: family, args: argvOf(family, steps).slice(1), workdir, env, restart: 'no', ...more });

const adapters = Object.fromEntries(FAMILIES.map((family) => [family, { executable: process.execPath }]));

const start = async (held: TestStore, harnesses: readonly HarnessConfig[]): Promise<TestFleet> =>
  openFleet(aConfig(harnesses, { adapters }), { held });

const ended = (fleet: TestFleet, name = 'h'): Promise<true> =>
  until(() => (['stopped', 'failed'].includes(fleet.supervisor.phase(name)) ? true : undefined), `the end of ${name}`);

/** The rows of a run once its trace is sealed. */
const traceOf = async (fleet: TestFleet, harness = 'h', run_id = 1) =>
  until(async () => {
    const { sealed, run } = await fleet.held.store.write('readFinalRun', { harness, run_id });
    return sealed ? run : undefined;
  }, 'the seal');

const edited = (events: readonly EventRow[]): readonly string[] =>
  events.flatMap(({ targets, is_error }) => targets.flatMap(({ path, touch }) => (touch === 'edit' && !is_error ? [path] : [])));

const idsOf = (sessions: readonly SessionRow[] | RunRecord['sessions']): readonly string[] =>
  (sessions ?? []).map((each) => ('id' in each ? each.id : each.session_id)).sort();

const WORK = [
  { session: 's1' },
  { user: `mend it, the token is ${TOKEN}` },
  { edit: 'a.txt' },
  { edit: 'missing.txt', failed: true },
  { run: ['npm test', true] },
  { session: 's1-child', child: true },
  { user: 'look around' },
  { edit: 'docs/b.md' },
  { say: 'Done.' },
];

describe.each(FAMILIES)('%s', (family) => {
  test.each([
    ['a resident', client],
    ['a command that names its transcripts', command],
  ] as const)('%s: its sessions are traced, to the last row before its end', async (_what, make) => {
    const { held, repo, env } = surroundings();
    const harness = make(family, repo, env, [...WORK, { exit: 0 }]);
    const fleet = await start(held, [harness]);
    await fleet.supervisor.start(harness);
    await ended(fleet);
    const run = await traceOf(fleet);
    expect(idsOf(run.sessions)).toEqual(['s1', 's1-child']);
    for (const session of run.sessions)
      expect(session).toMatchObject({
        source: 'transcript',
        adapter: family,
        cwd: repo,
        repo: 'forge.example/acme/api',
        git_branch: 'main',
      });
    expect(run.sessions.find(({ session_id }) => session_id === 's1-child')?.parent_session).toBe('s1');
    expect(edited(run.events).toSorted()).toEqual(['a.txt', 'docs/b.md']);
    const verify = run.events.filter(({ action }) => action === 'verify');
    expect(verify).toMatchObject([{ session_id: 's1', is_error: true, summary: 'npm test error' }]);
    // Codex tells of it in the parent's rollout, which this stand-in does not.
    if (family !== 'codex') expect(run.events.flatMap(({ mark }) => mark ?? [])).toContain('subagent');
    expect(run.results).toEqual([]);
    expect(JSON.stringify(run)).not.toContain(TOKEN);
    expect(JSON.stringify(run)).not.toContain('mend it');
    const [record] = await fleet.records();
    expect(record).toMatchObject({ outcome: 'success', model: 'scripted-1', usage_complete: true });
    expect(idsOf(record?.sessions)).toEqual(['s1', 's1-child']);
    expect(record?.model_calls).toBeGreaterThan(2);
    expect(record?.tokens?.output).toBeGreaterThan(10);
    expect(record?.cost_source).toBe(family === 'crush' ? 'recorded' : 'unknown');
    expect(record).not.toHaveProperty('trace_missing');
    expect(fleet.supervisor.unattributed()).toEqual({});
  });

  test('a one-shot command is traced the same way, and one that kept none says that its trace is missing', async () => {
    const { held, repo, env } = surroundings();
    const shots = [
      command(family, repo, env, WORK, { name: 'works', kind: 'oneshot' }),
      command(family, repo, env, [], { name: 'idles', kind: 'oneshot' }),
    ];
    const fleet = await start(held, shots);
    for (const shot of shots) {
      const firing = await fleet.supervisor.fire(shot, 'manual');
      if (firing.decision === 'started') await firing.done;
    }
    expect(edited((await traceOf(fleet, 'works')).events).toSorted()).toEqual(['a.txt', 'docs/b.md']);
    expect(await fleet.records('works')).toMatchObject([{ outcome: 'success', model: 'scripted-1' }]);
    expect(await fleet.records('idles')).toMatchObject([{ outcome: 'success', trace_missing: true }]);
    expect((await traceOf(fleet, 'idles')).sessions).toEqual([]);
  });

  test('two harnesses in one directory: their sessions are nobody’s, counted and told', async () => {
    const { held, repo, env } = surroundings();
    const both = ['a', 'b'].map((name) => {
      const done = join(held.dir, `${name}.done`);
      const steps = [
        { touch: join(held.dir, `${name}.up`) },
        { await: join(held.dir, 'go') },
        { session: `of-${name}` },
        { edit: 'a.txt' },
      ];
      return client(family, repo, env, [...steps, { touch: done }, { sleep: 100 }], { name });
    });
    const fleet = await start(held, both);
    for (const harness of both) await fleet.supervisor.start(harness);
    writeFileSync(join(held.dir, 'go'), '');
    for (const { name } of both) await ended(fleet, name);
    for (const { name } of both) {
      const run = await traceOf(fleet, name);
      expect([run.sessions, run.events]).toEqual([[], []]);
      expect((await fleet.records(name))[0]).not.toHaveProperty('sessions');
    }
    expect(fleet.supervisor.unattributed()).toEqual({ ambiguous: 2 });
    const told = fleet.world.log.events.filter(({ event }) => event === 'session_ambiguous');
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ harnesses: 'a, b' });
  });

  test('a session that goes on over a restart: each run has the rows of its own time, and what was used once', async () => {
    const { held, repo, env } = surroundings();
    const once = join(held.dir, 'first');
    const first = client(family, repo, env, [{ session: 's1' }, { edit: 'a.txt' }, { cost: 1 }, { touch: once }, { exit: 3 }]);
    const fleet = await start(held, [first]);
    await fleet.supervisor.start(first);
    await ended(fleet);
    // Rows of crush name whole seconds.
    if (family === 'crush') await new Promise((resolve) => setTimeout(resolve, 1_100));
    const second = client(family, repo, env, [{ continue: 's1' }, { edit: 'b.txt' }, { run: ['make test', false] }, { cost: 2.5 }]);
    fleet.configure(aConfig([second], { adapters }));
    await fleet.supervisor.start(second);
    await until(async () => ((await fleet.records()).length === 2 ? true : undefined), 'the second run');
    await ended(fleet);
    const [one, two] = [await traceOf(fleet, 'h', 1), await traceOf(fleet, 'h', 2)];
    expect([edited(one.events), edited(two.events)]).toEqual([['a.txt'], ['b.txt']]);
    expect([idsOf(one.sessions), idsOf(two.sessions)]).toEqual([['s1'], ['s1']]);
    expect(two.events.every(({ at }) => (at ?? 0) + 1_000 > Date.parse(two.record.started_at ?? ''))).toBe(true);
    const records = await fleet.records();
    expect(records.map(({ model_calls }) => model_calls)).toEqual([1, 2]);
    // What the client counts on is told apart; codex counts no cost.
    const costs = { 'claude-code': [1, 1.5], codex: [], crush: [1.01, 2.52] }[family];
    for (const [index, cost] of costs.entries()) expect(records[index]?.cost_usd).toBeCloseTo(cost);
  });

  test('a session of another time or another place is not the run’s', async () => {
    const { held, repo, env } = surroundings();
    const steps = [
      { session: 'old', ago: 60_000 },
      { edit: 'never.txt' },
      { session: 'elsewhere', cwd: '/elsewhere' },
      { edit: 'nor.txt' },
    ];
    const harness = client(family, repo, env, steps);
    const fleet = await start(held, [harness]);
    await fleet.supervisor.start(harness);
    await ended(fleet);
    const run = await traceOf(fleet);
    // All sessions of crush's database are of its directory.
    expect(edited(run.events)).toEqual(family === 'crush' ? ['nor.txt'] : []);
    expect(fleet.supervisor.unattributed()).toEqual({ no_run: 1 });
  });
});

test('a run of crush in a directory below could have written the database above, so its session is nobody’s', async () => {
  const { held, repo, env } = surroundings();
  mkdirSync(join(repo, 'below'));
  const below = client('crush', join(repo, 'below'), env, [{ touch: join(held.dir, 'up') }, { stay: true }], { name: 'below' });
  const above = client('crush', repo, env, [{ await: join(held.dir, 'up') }, { session: 's1' }, { edit: 'a.txt' }], { name: 'above' });
  const fleet = await start(held, [below, above]);
  await fleet.supervisor.start(below);
  await fleet.supervisor.start(above);
  await ended(fleet, 'above');
  expect((await traceOf(fleet, 'above')).sessions).toEqual([]);
  expect(fleet.supervisor.unattributed()).toEqual({ ambiguous: 1 });
});

test.each(['claude-code', 'codex'] as const)('a harness of %s without a workdir gets no session, and says so', async (family) => {
  const { held, repo, env } = surroundings();
  const { workdir: _none, ...rest } = client(family, repo, env, [{ session: 's1' }, { edit: 'a.txt' }]);
  const fleet = await start(held, [rest]);
  await fleet.supervisor.start(rest);
  await ended(fleet);
  expect((await traceOf(fleet)).sessions).toEqual([]);
  expect(fleet.supervisor.unattributed()).toEqual({ no_workdir: 1 });
});

test('with record_trace = false nothing is stored, and the record says all the same what was used', async () => {
  const { held, repo, env } = surroundings();
  const harness = client('claude-code', repo, env, WORK, { record_trace: false });
  const fleet = await start(held, [harness]);
  await fleet.supervisor.start(harness);
  await ended(fleet);
  const run = await traceOf(fleet);
  expect([run.sessions, run.events]).toEqual([[], []]);
  expect(idsOf((await fleet.records())[0]?.sessions)).toEqual(['s1', 's1-child']);
});

test('a resident that lives on is traced while it runs', async () => {
  const { held, repo, env } = surroundings();
  const harness = client('codex', repo, env, [...WORK, { stay: true }]);
  const fleet = await start(held, [harness]);
  await fleet.supervisor.start(harness);
  const key = { harness: 'h', run_id: 1 };
  await until(async () => {
    const stored = await fleet.held.store.write('readStoredRun', key);
    return edited(stored?.events ?? []).length === 2 ? true : undefined;
  }, 'the rows of a run that goes on');
  await fleet.supervisor.stop('h');
  expect(await fleet.records()).toMatchObject([{ outcome: 'cancelled', reason: 'operator', sessions: [{ id: 's1' }, { id: 's1-child' }] }]);
});
