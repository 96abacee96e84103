// A disk that fills up under a run: the run goes on, what was recorded stays, and what could not be written is written when there
// is room again. The state lies on a small file system of its own, which only root can mount.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/core/run/record.js';
import { makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

const STATE_BYTES = 3 * 1_024 * 1_024;
/** Mounting is Linux's and root's; elsewhere there is no disk to fill. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

let rig: Rig;
let state: string;

beforeEach(() => {
  rig = makeRig();
  state = rig.path('state');
  mkdirSync(state);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${STATE_BYTES}`, 'tmpfs', state]);
});
afterEach(async () => {
  await rig.stop('SIGKILL');
  execFileSync('umount', ['-l', state]);
  await rig.dispose();
});

/** Writes until nothing more fits. */
const fill = (): (() => void) => {
  const ballast = `${state}/ballast`;
  const file = openSync(ballast, 'w');
  for (const size of [65_536, 4_096, 1])
    try {
      for (;;) writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  closeSync(file);
  return () => rmSync(ballast);
};

describe.runIf(canMount)('on a full disk', () => {
  test('a run ends as it would have, the daemon lives, and after space returns nothing is missing', async () => {
    const repo = rig.repo('api');
    const [started, go] = [rig.path('started'), rig.path('go')];
    const lines = { repeat: [`${JSON.stringify({ type: 'noise', text: 'x'.repeat(200) })}\n`, 500] };
    const filling = [{ init: true }, { touch: started }, { await: go }, { edit: 'under-full-disk.txt' }, lines, { result: 'survived' }];
    rig.configure(
      [
        SCRIPTED_ADAPTER,
        scriptedHarness('first', repo, [{ init: true }, { result: 'recorded before' }]),
        scriptedHarness('filling', repo, filling),
        scriptedHarness('meanwhile', repo, [{ init: true }, { result: 'started on a full disk' }]),
      ].join('\n'),
    );
    await rig.start();
    await rig.run('first');
    await rig.episodes(1);

    const { control, memory } = rig.daemon();
    await control.trigger({ harness: 'filling' });
    await until(() => existsSync(started) || undefined, 'the run to start');
    const empty = fill();
    writeFileSync(go, '');

    await until(async () => ((await control.daemonInfo({})).ledgerErrors > 0n ? true : undefined), 'an append to fail');
    expect((await control.list({})).harnesses.map(({ name }) => name)).toEqual(['first', 'filling', 'meanwhile']);
    expect((await memory.recall({ query: 'recorded', repo: 'forge.example/acme/api' })).text).toContain('> recorded before');
    const meanwhile = await control.trigger({ harness: 'meanwhile' });
    expect(meanwhile.decision).toBe('started');
    expect((await control.daemonInfo({})).ledgerQueued).toBeGreaterThan(0n);

    empty();
    const recordOf = async (harness: string): Promise<RunRecord> =>
      JSON.parse((await control.wait({ harness, runId: 1n })).recordJson) as RunRecord;
    expect(await recordOf('filling')).toMatchObject({ outcome: 'success', exit_code: 0 });
    expect(await recordOf('meanwhile')).toMatchObject({ outcome: 'success' });
    await until(async () => ((await control.daemonInfo({})).ledgerQueued === 0n ? true : undefined), 'the ledger to be written');
    const episodes = await rig.episodes(3);
    expect(episodes.map(({ harness, result_excerpt }) => [harness, result_excerpt]).sort()).toEqual([
      ['filling', 'survived'],
      ['first', 'recorded before'],
      ['meanwhile', 'started on a full disk'],
    ]);
    expect(episodes.find(({ harness }) => harness === 'filling')?.files_touched).toEqual(['under-full-disk.txt']);
    for (const event of ['ledger_append_failed', 'ledger_recovered', 'trace_write_failed']) expect(rig.log()).toContain(`"${event}"`);
    expect(rig.log()).toMatch(/"harness":"filling","run":1,"file":"stream\.jsonl","error":"ENOSPC","msg":"run_file_failed"/);

    await rig.stop();
    await rig.start();
    expect((await rig.episodes(3)).length).toBe(3);
    expect((await rig.runs()).map(({ harness, outcome }) => [harness, outcome]).sort()).toEqual([
      ['filling', 'success'],
      ['first', 'success'],
      ['meanwhile', 'success'],
    ]);
  });
});
