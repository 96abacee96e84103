// Generators of stored runs, items and snapshots that the properties share.
import * as fc from 'fast-check';
import type { BriefingSnapshot } from '../../src/core/briefing/snapshot.js';
import type { Episode } from '../../src/core/episode/episode.js';
import { formatInstant } from '../../src/core/kernel/time.js';
import type { RecentRun } from '../../src/core/recall/items.js';
import { OUTCOMES } from '../../src/core/run/outcome.js';
import type { EventRow, SessionRow, StoredRun } from '../../src/core/run/session.js';
import type { Label, WrappedItem } from '../../src/core/untrusted/wrapped-item.js';

/** Text that tries: line breaks of every kind, controls, look-alike headers, surrogates. */
export const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        '\u2028',
        '\u0085',
        '\u0000',
        '\u001b[2J',
        'omitted: 0',
        'section: facts',
        'id: x',
        '> ',
        'é',
        '\ud83d\ude00',
        '\ud800',
        '%',
        ' ',
        'a',
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => parts.join('')),
  fc.nat({ max: 3_000 }).map((length) => 'ä'.repeat(length)),
);

export const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,20}$/);
export const repoKey = fc.tuple(fc.constantFrom('forge.example', 'git.example'), name, name).map((parts) => parts.join('/'));
export const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }).map(formatInstant);

export const item = (label: Label): fc.Arbitrary<WrappedItem> =>
  fc.record(
    {
      id: fc.oneof(name, nastyText),
      label: fc.constant(label),
      kind: fc.constantFrom('observed' as const, 'asserted' as const, 'operator' as const),
      scope: repoKey.map((repo) => `project:${repo}`),
      status: fc.constantFrom('live' as const, 'suspect' as const),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      anchors: fc.array(fc.record({ type: fc.constant('path'), target: nastyText, state: fc.constant('ok') }), { maxLength: 2 }),
      untrusted: fc.boolean(),
      source: fc.record({ run: name, model: nastyText, branch: nastyText }, { requiredKeys: [] }),
      provider: fc.constant('builtin'),
      effective_confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      text: nastyText,
      extra: fc.constant({}),
    },
    { requiredKeys: ['id', 'label', 'kind', 'scope', 'status', 'confidence', 'anchors', 'untrusted', 'source', 'text', 'extra'] },
  );

export const recentRun: fc.Arbitrary<RecentRun> = fc.record({
  harness: name,
  run_id: fc.integer({ min: 1, max: 9_999 }),
  adapter: fc.constantFrom('claude-code', 'codex'),
  branch: nastyText,
  outcome: fc.constantFrom(...OUTCOMES),
  ended_at: instant,
  duration_ms: fc.nat(),
});

export const snapshot: fc.Arbitrary<BriefingSnapshot> = fc.record(
  {
    version: fc.constant(1 as const),
    now: instant,
    harness: name,
    repo: repoKey,
    branch: name,
    max_chars: fc.integer({ min: 500, max: 4_000 }),
    collisions: fc.array(item('collision'), { maxLength: 14 }),
    recent_runs: fc.array(recentRun, { maxLength: 7 }),
    facts: fc.array(item('fact'), { maxLength: 20 }),
    withheld: fc.nat({ max: 3 }),
    episodes: fc.record({ provider: fc.constant('builtin'), items: fc.array(item('episode'), { maxLength: 10 }) }),
  },
  { requiredKeys: ['version', 'now', 'harness', 'repo', 'max_chars', 'collisions', 'recent_runs', 'facts', 'withheld', 'episodes'] },
);

const session = (id: string): fc.Arbitrary<SessionRow> =>
  fc.record(
    {
      harness: fc.constant('h'),
      run_id: fc.constant(1),
      session_id: fc.constant(id),
      adapter: fc.constant('claude-code'),
      source: fc.constant('stream' as const),
      parent_session: fc.constant('s0'),
      started_at: instant,
      cwd: fc.constantFrom('/repo', '/repo/pkg'),
      git_branch: nastyText,
      repo: fc.constantFrom('forge.example/acme/api', 'forge.example/acme/other'),
      worktree: fc.constant('/repo'),
      prefix: fc.constant(''),
      models: fc.constant([]),
      tokens: fc.constant({ input: 1, output: 2, cache_read: 0, cache_write: 0 }),
      model_calls: fc.nat({ max: 9 }),
      cost_source: fc.constant('unknown' as const),
      trace_id: fc.constant('0'.repeat(32)),
      events_complete: fc.boolean(),
    },
    {
      requiredKeys: [
        'harness',
        'run_id',
        'session_id',
        'adapter',
        'source',
        'started_at',
        'models',
        'tokens',
        'model_calls',
        'cost_source',
        'trace_id',
        'events_complete',
      ],
    },
  );

const event: fc.Arbitrary<EventRow> = fc.record(
  {
    harness: fc.constant('h'),
    run_id: fc.constant(1),
    session_id: fc.constantFrom('s0', 's1', 's2'),
    seq: fc.nat({ max: 99 }),
    kind: fc.constant('tool_call' as const),
    action: fc.constantFrom('edit' as const, 'read' as const, 'verify' as const, 'exec' as const),
    targets: fc.array(
      fc.record({
        path: fc.oneof(nastyText, fc.constantFrom('a.go', '../x', '/repo/b.go', '.git/config')),
        touch: fc.constantFrom('edit' as const, 'read' as const),
      }),
      {
        maxLength: 4,
      },
    ),
    is_error: fc.boolean(),
    summary: fc.constantFrom('go test', 'npm run build', 'go vet', 'make check'),
    error_class: nastyText,
  },
  { requiredKeys: ['harness', 'run_id', 'session_id', 'seq', 'kind', 'action', 'targets', 'is_error', 'summary'] },
);

/** A closed run with up to three sessions, one of which may be a subagent's. */
export const storedRun: fc.Arbitrary<StoredRun> = fc.record({
  record: fc.record(
    {
      harness: fc.constant('h'),
      run_id: fc.constant(1),
      outcome: fc.constantFrom(...OUTCOMES),
      reason: fc.constantFrom('spawn' as const, 'operator' as const),
      event_id: name,
      started_at: instant,
      ended_at: instant,
      duration_ms: fc.nat(),
      model: nastyText,
      cost_usd: fc.double({ min: 0, max: 100, noNaN: true }),
    },
    { requiredKeys: ['harness', 'run_id', 'outcome', 'started_at'] },
  ),
  context: fc.record({
    harness: fc.constant('h'),
    run_id: fc.constant(1),
    adapter: fc.constant('claude-code'),
    workdir: fc.constant('/repo'),
    untrusted_inline: fc.boolean(),
    memory_record: fc.boolean(),
    record_trace: fc.boolean(),
    excerpt_chars: fc.integer({ min: 0, max: 2_000 }),
    spawn_id: fc.constant('00'),
  }),
  sessions: fc.tuple(session('s0'), session('s1'), session('s2')).chain((all) => fc.subarray([...all])),
  events: fc.array(event, { maxLength: 30 }),
  results: fc.array(
    fc.record({
      harness: fc.constant('h'),
      run_id: fc.constant(1),
      session_id: fc.constantFrom('s0', 's1'),
      subtype: fc.constant('success'),
      is_error: fc.boolean(),
      text: nastyText,
    }),
    { maxLength: 2 },
  ),
});

export const anEpisode = (overrides: Partial<Episode> = {}): Episode => ({
  episode_id: 'ep_00000000000000000001',
  harness: 'api-fixer',
  adapter: 'claude-code',
  run_id: 42,
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  model: 'claude-opus-5',
  repo: 'forge.example/acme/api',
  branch: 'fix/flaky',
  outcome: 'failed',
  started_at: '2026-09-28T02:10:00.000000000Z',
  duration_ms: 247_000,
  cost_source: 'unknown',
  files_touched: ['internal/ledger/ledger.go'],
  verify_failures: [{ class: 'test_failure', count: 2 }],
  result_excerpt: 'The ledger test times out.',
  trust_class: 'standard',
  scope: 'project:forge.example/acme/api',
  ...overrides,
});
