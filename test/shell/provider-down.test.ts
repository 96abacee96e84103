// A provider that stalls, breaks or dies, in every way a session can: recall and briefings answer without it, records wait for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createRouterTransport } from '@connectrpc/connect';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HarnessConfig } from '../../src/core/config/config.js';
import { DAY, formatInstant, HOUR } from '../../src/core/kernel/time.js';
import { PROVIDER_TOOLS } from '../../src/core/provider/contract.js';
import type { MemoryAnswer } from '../../src/core/recall/compose.js';
import { type MemoryCounters, zeroCounters } from '../../src/shell/daemon/counters.js';
import { briefHarness } from '../../src/shell/pipelines/briefing.js';
import { type RecallDeps, recallMemory } from '../../src/shell/pipelines/recall.js';
import { sendDueRecords } from '../../src/shell/pipelines/send-records.js';
import { connectProvider, type Provider } from '../../src/shell/provider/provider.js';
import { MemoryService } from '../../src/shell/rpc/gen/harness/v1/memory_pb.js';
import { type MemoryDeps, memoryRoutes } from '../../src/shell/rpc/memory-service.js';
import { failsWith, type HostileProvider, hostileProvider, never, rawTransport, says, saysText } from '../support/hostile-provider.js';
import { makeRepo } from '../support/rig.js';
import { openTestStore, safeEpisode, storeEpisode, type TestStore, testWorld } from '../support/stores.js';
import { verifies } from '../support/verifies.js';

const API = 'forge.example/acme/api';
const DEADLINE = 120;
const START = Date.UTC(2026, 8, 28, 5);

let repos: string;
let harness: HarnessConfig;
let held: TestStore;
let hostile: HostileProvider;
let provider: Provider;
let counters: MemoryCounters;
let clock: number;
let world: ReturnType<typeof testWorld>;

beforeAll(() => {
  repos = mkdtempSync(join(tmpdir(), 'hrn-down-'));
  const workdir = makeRepo(join(repos, 'api'));
  harness = { name: 'nightly', workdir, briefing_max_chars: 2_000 } as HarnessConfig;
});
afterAll(() => rmSync(repos, { recursive: true, force: true }));

beforeEach(() => {
  held = openTestStore();
  hostile = hostileProvider();
  clock = START;
  world = testWorld(() => clock);
  counters = zeroCounters();
  provider = connectProvider('zep', () => hostile.open(), '1', world);
});
afterEach(async () => {
  await provider.close();
  await held.close();
});

const deps = (): RecallDeps => ({ store: held.store, provider, world, counters, deadlineMs: DEADLINE });
const recall = (): Promise<MemoryAnswer & { degraded?: string }> =>
  recallMemory({ repo: API }, { query: 'ledger', paths: [], limit: 8 }, deps());
const textsOf = ({ structured }: MemoryAnswer) =>
  ((structured.sections[1]?.items ?? []) as readonly { text: string }[]).map(({ text }) => text);

const store = async (id: string): Promise<void> =>
  storeEpisode(held.store, safeEpisode({ episode_id: id }), '2026-09-28T02:14:07.000000000Z');
const remember = async (id: string): Promise<void> => {
  await store(`ep_${id}`);
  await held.store.write('bindProviderIds', { provider: 'zep', episode_id: `ep_${id}`, ids: [id], recorded_at: '2026' });
};

const answering = (answer: () => unknown) => (): void => {
  hostile.answers.memory_recall = answer;
};
const connecting = (open: HostileProvider['open']) => (): void => {
  hostile.open = open;
};
const raw = (reply: Parameters<typeof rawTransport>[0]) => connecting(() => Promise.resolve(rawTransport(reply)));

const FAULTS: readonly (readonly [name: string, arm: () => void])[] = [
  ['refuses the connection', connecting(() => Promise.reject(new Error('spawn ENOENT')))],
  ['never connects', connecting(never)],
  ['never answers initialize', raw(() => undefined)],
  ['answers initialize with nonsense', raw((message) => ({ ...message, method: undefined, result: 7 }))],
  ['answers with the wrong id', raw(() => ({ jsonrpc: '2.0', id: 999, result: {} }))],
  [
    'answers every request with an error',
    raw((message) => ('id' in message ? { jsonrpc: '2.0', id: message.id, error: { code: -1, message: 'no' } } : undefined)),
  ],
  ['lacks a tool', () => (hostile.pages = [['memory_contract', 'memory_recall', 'memory_forget']])],
  ['lists no tool', () => (hostile.pages = [])],
  ['lists tools without end', () => (hostile.pages = Array.from({ length: 1_000 }, () => ['noise']))],
  ['has another contract', () => (hostile.answers.memory_contract = () => says({ contract: 2, provider: { name: 'z', version: '2' } }))],
  ['never answers the contract', () => (hostile.answers.memory_contract = never)],
  ['never answers', answering(never)],
  [
    'answers late',
    answering(() => new Promise((resolve) => setTimeout(() => resolve(says({ items: [{ id: 'a', text: 'late' }] })), 2 * DEADLINE))),
  ],
  ['says it failed', answering(() => failsWith('no'))],
  ['throws', answering(() => Promise.reject(new Error('broken')))],
  ['answers text that is no JSON', answering(() => saysText('{"items":'))],
  [
    'answers two blocks',
    answering(() => ({ content: [...saysText('{"items":[]}').content, { type: 'image', data: '', mimeType: 'image/png' }].reverse() })),
  ],
  ['answers nothing', answering(() => ({ content: [] }))],
  ['answers another shape', answering(() => says({ items: 'many' }))],
  ['is no MCP result', answering(() => ({ content: 'x' }))],
  ['hangs up in the call', answering(() => hostile.hangUp().then(never))],
];

describe('a provider that', () => {
  for (const [name, arm] of FAULTS)
    verifies(
      ['SPEC-0030/REQ-13/s2'],
      `${name} costs the episodes of an answer, never the answer, and the next call finds it mended`,
      async () => {
        await remember('a');
        arm();
        const answer = await recall();
        expect([answer.degraded, textsOf(answer)]).toEqual(['provider_unavailable', []]);
        expect(answer.text).toMatch(/\nomitted: 0\ndegraded: provider_unavailable$/);
        expect(answer.structured.degradation).toMatchObject({ provider: 'zep', deadline_ms: DEADLINE });
        const { text } = await briefHarness(harness, undefined, deps());
        expect(text).toContain('section: episodes\nstate: provider_unavailable\nomitted: 0\ndegraded: provider_unavailable');
        const mended = hostileProvider();
        Object.assign(hostile, { pages: mended.pages, open: hostile.openServer });
        Object.assign(hostile.answers, { ...mended.answers, memory_recall: () => says({ items: [{ id: 'a', text: 'back' }] }) });
        expect(textsOf(await recall())).toEqual(['back']);
        expect(provider.state().kind).toBe('ready');
      },
    );

  test('could not be reached by a check is tried anew by the next call', async () => {
    hostile.open = () => Promise.reject(new Error('not yet'));
    expect(E.isLeft(await provider.check(DEADLINE))).toBe(true);
    hostile.open = hostile.openServer;
    expect((await recall()).degraded).toBeUndefined();
  });

  test('lists its tools on several pages is whole', async () => {
    hostile.pages = PROVIDER_TOOLS.map((name) => [name]);
    expect((await recall()).degraded).toBeUndefined();
  });

  verifies(
    ['SPEC-0030/REQ-3/s4'],
    'is asked for its contract when a session opens and after every reconnect, and not in between',
    async () => {
      await recall();
      await recall();
      expect(hostile.countOf('memory_contract')).toBe(1);
      await hostile.hangUp();
      await recall();
      await recall();
      expect(hostile.countOf('memory_contract')).toBe(2);
    },
  );
});

describe('a briefing', () => {
  verifies(
    ['SPEC-0030/REQ-14/deterministic-without-the-provider', 'SPEC-0030/REQ-14/s3'],
    'composed twice at one instant over one store, with the provider down, is the same bytes, and its other sections do not depend on it',
    async () => {
      for (const [run_id, branch] of [
        [1, 'main'],
        [2, 'main'],
        [3, 'other'],
      ] as const)
        await endedRun(run_id, branch);
      await remember('a');
      hostile.answers.memory_recall = () => says({ items: [{ id: 'a', text: 'the ledger' }] });
      const up = await briefHarness(harness, undefined, deps());
      hostile.answers.memory_recall = () => failsWith('no');
      const first = await briefHarness(harness, undefined, deps());
      const second = await briefHarness(harness, undefined, deps());
      expect(second).toEqual(first);
      expect(first.text).toContain('section: recent_runs');
      expect(first.text.match(/^id: run:.*$/gm)).toEqual(['id: run:fixer#2', 'id: run:fixer#1']);
      const head = (text: string): string => text.slice(0, text.indexOf('section: episodes'));
      expect(head(first.text)).toBe(head(up.text));
    },
  );
});

/** A run of another harness that ended on a branch of the repository, as the store holds it. */
const endedRun = async (run_id: number, branch: string): Promise<void> => {
  const key = { harness: 'fixer', run_id };
  const at = `2026-09-28T02:0${run_id}:00.000000000Z`;
  const context = {
    ...key,
    adapter: 'claude-code',
    workdir: '/x',
    untrusted_inline: false,
    memory_record: true,
    record_trace: true,
    excerpt_chars: 600,
    spawn_id: '00',
  };
  const lines = [
    { v: 1, seq: 2 * run_id - 1, type: 'opened', at, ...key, started_at: at },
    { v: 1, seq: 2 * run_id, type: 'closed', at, ...key, outcome: 'success', ended_at: at, duration_ms: 1_000 },
  ] as const;
  await held.store.write(
    'appendLines',
    lines.map((line) => ({ line, text: JSON.stringify(line), context })),
  );
  const session = {
    ...key,
    session_id: `s${run_id}`,
    adapter: 'claude-code',
    source: 'stream',
    started_at: at,
    cwd: '/x',
    git_branch: branch,
    repo: API,
    worktree: '/x',
    prefix: '',
    models: [],
    tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
    model_calls: 0,
    cost_source: 'unknown',
    trace_id: 't',
    events_complete: true,
  } as const;
  const sample = { at, cwd: '/x', worktree: '/x', prefix: '', repo: API, local: false, branch };
  await held.store.write('writeTrace', {
    sessions: [session],
    events: [],
    results: [],
    samples: [{ ...key, session_id: session.session_id, sample }],
  });
};

describe('a record', () => {
  const send = (): Promise<void> => sendDueRecords({ store: held.store, provider, world, counters });
  const counts = async () => {
    const { pending_records, failed_records, indexed } = await held.store.read('memoryCounts', { provider: 'zep', since: '2026' });
    return { pending: pending_records, failed: failed_records, indexed };
  };
  const statusOf = () => {
    const configuration = { current: () => ({ memory: { provider_timeout: DEADLINE } }) };
    const all = { store: held.store, provider, world, counters, configuration } as unknown as MemoryDeps;
    return createClient(
      MemoryService,
      createRouterTransport((router) => memoryRoutes(router, all)),
    ).status({});
  };
  const storeFor = async (id: string): Promise<void> => {
    const episode = safeEpisode({ episode_id: id });
    await held.store.write('recordEpisode', {
      episode,
      text: `text of ${id}`,
      at: '2026-09-28T02:14:07.000000000Z',
      recorded_at: formatInstant(START),
      provider: 'zep',
      deadline_at: formatInstant(START + DAY),
      seq: 1,
    });
  };

  verifies(
    ['SPEC-0030/REQ-3/an-unsupported-contract-version-is-not-used', 'SPEC-0030/REQ-3/s5'],
    'is not sent to a provider of another contract, or without a tool, until a later check succeeds; status says incompatible',
    async () => {
      await storeFor('ep_1');
      const spoil: readonly (() => void)[] = [
        () => (hostile.answers.memory_contract = () => says({ contract: 2, provider: { name: 'z', version: '2' } })),
        () => (hostile.pages = [['memory_contract', 'memory_record_episode', 'memory_recall']]),
      ];
      for (const arm of spoil) {
        const { pages, answers } = hostileProvider();
        Object.assign(hostile, { pages });
        hostile.answers.memory_contract = answers.memory_contract;
        arm();
        await send();
        expect((await statusOf()).state).toBe('incompatible');
        expect((await recall()).degraded).toBe('provider_unavailable');
        clock += HOUR;
      }
      expect([hostile.countOf('memory_record_episode'), hostile.countOf('memory_recall')]).toEqual([0, 0]);
      expect(await counts()).toEqual({ pending: 1, failed: 0, indexed: 0 });
      hostile.pages = [PROVIDER_TOOLS];
      hostile.answers.memory_contract = hostileProvider().answers.memory_contract;
      await send();
      expect((await statusOf()).state).toBe('ready');
      expect(await counts()).toEqual({ pending: 0, failed: 0, indexed: 1 });
    },
  );

  verifies(
    ['SPEC-0030/ERR/a-provider-error-is-attributable'],
    'that the provider refuses is logged with provider, episode and its redacted words, and waits for the next try',
    async () => {
      await storeFor('ep_1');
      hostile.answers.memory_record_episode = () => failsWith(`disk full, token ghp_${'aB3d'.repeat(9)}\nsecond line`);
      await send();
      expect(world.log.events).toContainEqual({
        event: 'provider_record_failed',
        provider: 'zep',
        episode: 'ep_1',
        attempts: 1,
        error: 'disk full, token [REDACTED] second line (reply)',
      });
      expect(await counts()).toEqual({ pending: 1, failed: 0, indexed: 0 });
    },
  );

  verifies(['SPEC-0030/REQ-13/s4'], 'is tried again from the stored copy for 24 hours, then marked failed', async () => {
    await storeFor('ep_1');
    hostile.answers.memory_record_episode = () => failsWith('down');
    let last = clock;
    for (; (await counts()).pending > 0 && clock < START + 2 * DAY; clock += 60_000) {
      const before = hostile.countOf('memory_record_episode');
      await send();
      if (hostile.countOf('memory_record_episode') > before) last = clock;
    }
    expect(await counts()).toEqual({ pending: 0, failed: 1, indexed: 0 });
    expect(last - START).toBeGreaterThan(23 * HOUR);
    expect(last - START).toBeLessThanOrEqual(DAY);
    const sent = hostile.calls.filter(({ tool }) => tool === 'memory_record_episode').map(({ args }) => JSON.stringify(args));
    expect(new Set(sent).size).toBe(1);
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({
      episode_id: 'ep_1',
      scope: `project:${API}`,
      trust_class: 'standard',
      text: 'text of ep_1',
    });
    expect(counters.episodes).toMatchObject({ ok: 0, error: 1 });
  });
});
