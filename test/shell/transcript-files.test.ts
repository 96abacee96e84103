// Transcript files as clients, editors and disks leave them: growing, long, cut, written anew, gone, and no files at all.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunWindow } from '../../src/core/run/attribution.js';
import type { TraceItem } from '../../src/core/run/trace-event.js';
import { FileTranscripts } from '../../src/shell/traces/transcripts/file-transcripts.js';
import type { Verdict } from '../../src/shell/traces/transcripts/session-judge.js';
import { agentsOf, realPath, storeOf, transcriptsOf } from '../../src/shell/traces/transcripts/transcript-store.js';

const START = Date.UTC(2026, 8, 28, 12);
const MIB = 1_024 * 1_024;

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hrn-transcripts-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const projects = (): string => join(home, '.claude', 'projects', '-work');
const pathOf = (session: string): string => {
  mkdirSync(projects(), { recursive: true });
  return join(projects(), `${session}.jsonl`);
};

let rows = 0;
const edit = (session: string, path: string, at: number): string => {
  rows += 1;
  const base = { sessionId: session, cwd: '/work', timestamp: new Date(at).toISOString(), isSidechain: false };
  const call = { type: 'tool_use', id: `t${rows}`, name: 'Edit', input: { file_path: path } };
  const lines = [
    { ...base, uuid: `u${rows}`, type: 'assistant', message: { id: `m${rows}`, model: 'm', content: [call], usage: { output_tokens: 1 } } },
    { ...base, uuid: `v${rows}`, type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: `t${rows}`, content: 'ok' }] } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
};

const follow = (verdict: Verdict = 'ours') => {
  const items: TraceItem[] = [];
  const drops: string[] = [];
  const unreadable: string[] = [];
  const window: RunWindow = {
    harness: 'h',
    run_id: 1,
    store: 's',
    workdir: '/work',
    declared: true,
    writesAbove: false,
    started_at: START,
  };
  const transcripts = new FileTranscripts(
    { family: 'claude-code', env: { HOME: home }, window, verify: [], now: () => START + 60_000 },
    { judge: async () => verdict, wentOn: () => true, settle: () => undefined, unreadable: (path) => void unreadable.push(path) },
    { take: (more) => void items.push(...more), dropped: (reason) => void drops.push(reason) },
  );
  const edits = (): readonly string[] =>
    items.flatMap((item) => (item.type === 'event' ? item.event.targets.map(({ path, touch }) => (touch === 'edit' ? path : '')) : []));
  return { transcripts, items, drops, unreadable, edits };
};

describe('a transcript', () => {
  test('is read as it grows, half rows included, and its rest when the run ends', async () => {
    const { transcripts, edits, drops } = follow();
    const path = pathOf('s');
    const text = edit('s', 'a.txt', START) + edit('s', 'b.txt', START + 1).trimEnd();
    for (let at = 0; at < text.length; at += 97) {
      appendFileSync(path, text.slice(at, at + 97));
      await transcripts.look(false);
    }
    expect(edits()).toEqual(['a.txt']);
    transcripts.finish();
    expect(edits()).toEqual(['a.txt', 'b.txt']);
    expect(drops).toEqual([]);
    appendFileSync(path, edit('s', 'late.txt', START + 2));
    await transcripts.look(true);
    expect(edits()).toHaveLength(2);
  });

  test.each(['in place', 'by another file', 'after it was emptied'])(
    'that is written anew %s is read again, and no row counts twice',
    async (how) => {
      const { transcripts, edits, drops } = follow();
      const path = pathOf('s');
      const before = edit('s', 'a.txt', START) + edit('s', 'b.txt', START + 1_000);
      writeFileSync(path, before);
      await transcripts.look(false);
      const after = before + edit('s', 'c.txt', START + 1_000) + edit('s', 'd.txt', START + 2_000);
      if (how === 'by another file') {
        writeFileSync(`${path}.new`, after);
        renameSync(`${path}.new`, path);
      } else if (how === 'in place') {
        const lead = edit('s', 'old.txt', START - 5_000);
        writeFileSync(path, lead + after);
      } else {
        truncateSync(path, 0);
        await transcripts.look(false);
        writeFileSync(path, after);
      }
      await transcripts.look(false);
      expect(edits()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
      expect(drops.filter((reason) => reason === 'read_before')).toHaveLength(4);
    },
  );

  test('that began before the run gives the rows of the run alone; one that was not written since is not opened', async () => {
    const { transcripts, edits, unreadable } = follow();
    writeFileSync(pathOf('s'), edit('s', 'old.txt', START - 60_000) + edit('s', 'new.txt', START));
    const old = pathOf('old');
    writeFileSync(old, edit('old', 'never.txt', START));
    utimesSync(old, new Date(START - 60_000), new Date(START - 60_000));
    await transcripts.look(false);
    await transcripts.look(true);
    expect(edits()).toEqual(['new.txt']);
    utimesSync(old, new Date(START + 1), new Date(START + 1));
    await transcripts.look(true);
    expect([...edits()].sort()).toEqual(['never.txt', 'new.txt']);
    expect(unreadable).toEqual([]);
  });

  test('of a sub-agent is read with that of its session, and says so', async () => {
    const { transcripts, items } = follow();
    const path = pathOf('s');
    const agent = join(projects(), 's', 'subagents', 'agent-a1.jsonl');
    mkdirSync(dirname(agent), { recursive: true });
    const row = {
      sessionId: 's',
      agentId: 'a1',
      isSidechain: true,
      cwd: '/code/tree',
      timestamp: new Date(START + 5).toISOString(),
      uuid: 'x',
    };
    writeFileSync(agent, `${JSON.stringify({ ...row, type: 'user', message: { content: 'look around' } })}\n`);
    await transcripts.look(false);
    expect(items).toEqual([]);
    writeFileSync(path, edit('s', 'a.txt', START));
    await transcripts.look(false);
    expect(items.filter(({ type }) => type === 'session').map((item) => (item.type === 'session' ? item.session : {}))).toEqual([
      { session_id: 's', cwd: '/work', at: START },
      { session_id: 'a1', parent_session: 's', cwd: '/code/tree', at: START + 5 },
    ]);
    expect(items).toContainEqual(expect.objectContaining({ session_id: 's', event: expect.objectContaining({ mark: 'subagent' }) }));
  });

  test('that vanishes, cannot be opened or is no file is counted once, and ends nothing', async () => {
    const { transcripts, edits, unreadable } = follow();
    const gone = pathOf('gone');
    writeFileSync(gone, edit('gone', 'a.txt', START));
    await transcripts.look(false);
    rmSync(gone);
    mkdirSync(pathOf('directory'));
    execFileSync('mkfifo', [pathOf('pipe')]);
    symlinkSync(pathOf('loop'), pathOf('loop'));
    symlinkSync(projects(), pathOf('up'));
    writeFileSync(pathOf('nothing'), '');
    writeFileSync(pathOf('noise'), 'not json\n\u0000\n[1]\n');
    if (process.getuid?.() !== 0) {
      writeFileSync(pathOf('locked'), edit('locked', 'never.txt', START));
      chmodSync(pathOf('locked'), 0);
    }
    writeFileSync(pathOf('s'), edit('s', 'b.txt', START));
    for (let looks = 0; looks < 3; looks += 1) await transcripts.look(true);
    transcripts.finish();
    expect(edits()).toEqual(['a.txt', 'b.txt']);
    const names = [...new Set(unreadable)].map((path) => path.slice(projects().length + 1)).filter((name) => name !== 'locked.jsonl');
    expect(names.sort()).toEqual(['directory.jsonl', 'gone.jsonl', 'loop.jsonl', 'pipe.jsonl', 'up.jsonl']);
    expect(unreadable).toHaveLength(new Set(unreadable).size);
  });

  test('that a judge leaves is not read', async () => {
    const { transcripts, items } = follow('left');
    writeFileSync(pathOf('s'), edit('s', 'a.txt', START));
    await transcripts.look(true);
    transcripts.finish();
    expect(items).toEqual([]);
  });
});

/** Grows by the bytes its reading keeps, not by those it reads. */
const heldDuring = async (work: () => Promise<void>): Promise<number> => {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  await work();
  clearInterval(watch);
  return most - before;
};

describe('a long transcript', () => {
  test('of an earlier time is searched by halves: hundreds of megabytes of history cost a few rows', async () => {
    const path = pathOf('s');
    writeFileSync(path, edit('s', 'old.txt', START - 60_000));
    const filler = `${JSON.stringify({ timestamp: new Date(START - 30_000).toISOString(), filler: 'x'.repeat(65_000) })}\n`.repeat(16);
    for (let i = 0; i < 320; i += 1) appendFileSync(path, filler);
    appendFileSync(path, edit('s', 'new.txt', START));
    const { transcripts, edits, drops } = follow();
    await transcripts.look(false);
    expect(edits()).toEqual(['new.txt']);
    expect(drops.length).toBeLessThan(10);
  }, 120_000);

  test('of this run keeps memory flat, a line without end included', async () => {
    const path = pathOf('s');
    writeFileSync(path, edit('s', 'first.txt', START));
    const filler =
      `${JSON.stringify({ type: 'attachment', timestamp: new Date(START + 1).toISOString(), filler: 'x'.repeat(65_000) })}\n`.repeat(16);
    for (let i = 0; i < 64; i += 1) appendFileSync(path, filler);
    // A hole of zeros: one line, longer than any may be.
    truncateSync(path, 320 * MIB);
    appendFileSync(path, `\n${edit('s', 'last.txt', START + 2)}`);
    const { transcripts, edits, drops } = follow();
    const held = await heldDuring(() => transcripts.look(false));
    expect(edits()).toEqual(['first.txt', 'last.txt']);
    expect(drops).toEqual(['line_too_long']);
    expect(held).toBeLessThan(160 * MIB);
  }, 120_000);
});

describe('the stores', () => {
  test('of claude: a name for each directory, cut where it is long, below the configured directory', async () => {
    const long = `/work/${'deep/'.repeat(60)}end`;
    const slug = long.replaceAll('/', '-').slice(0, 200);
    for (const name of [`${slug}-a1b2c3`, `${slug.slice(0, 199)}-a1b2c3`, '-work-with-dots']) {
      mkdirSync(join(home, 'config', 'projects', name), { recursive: true });
      writeFileSync(join(home, 'config', 'projects', name, 's.jsonl'), '');
      writeFileSync(join(home, 'config', 'projects', name, 's.json'), '');
    }
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'config') };
    expect(await transcriptsOf('claude-code', env, long)).toEqual([join(home, 'config', 'projects', `${slug}-a1b2c3`, 's.jsonl')]);
    expect(await transcriptsOf('claude-code', env, '/work.with_dots')).toHaveLength(1);
    expect(await transcriptsOf('claude-code', { HOME: home }, '/work.with_dots')).toEqual([]);
    expect(await agentsOf(join(home, 'config', 'none.jsonl'))).toEqual([]);
  });

  test('of codex: the newest three days there are, in whatever directory', async () => {
    for (const day of ['2025/12/31', '2026/01/01', '2026/01/02', '2026/02/01', 'notes']) {
      mkdirSync(join(home, '.codex', 'sessions', day), { recursive: true });
      writeFileSync(join(home, '.codex', 'sessions', day, 'rollout-x.jsonl'), '');
      writeFileSync(join(home, '.codex', 'sessions', day, 'other.jsonl'), '');
    }
    const found = await transcriptsOf('codex', { HOME: home }, '/anywhere');
    expect(found.map((path) => path.slice(home.length))).toEqual(
      ['2026/02/01', '2026/01/02', '2026/01/01'].map((day) => `/.codex/sessions/${day}/rollout-x.jsonl`),
    );
  });

  test('are told apart by where they really are, whether or not they are there yet', () => {
    symlinkSync(home, join(home, 'again'));
    expect(storeOf('claude-code', { HOME: join(home, 'again') })).toBe(storeOf('claude-code', { HOME: home }));
    expect(storeOf('claude-code', { HOME: home, CLAUDE_CONFIG_DIR: '' })).toBe(storeOf('claude-code', { HOME: home }));
    expect(storeOf('codex', { HOME: home, CODEX_HOME: join(home, 'c') })).not.toBe(storeOf('codex', { HOME: home }));
    expect(storeOf('codex', { HOME: home })).not.toBe(storeOf('claude-code', { HOME: home }));
    expect(realPath('/nowhere/at/all')).toBe('/nowhere/at/all');
  });
});
