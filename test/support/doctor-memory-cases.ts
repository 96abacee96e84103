// What a doctor can find in what is remembered, one condition a case, with the row that it makes.
import type { DoctorFacts } from '../../src/core/doctor/facts.js';
import type { CheckRow } from '../../src/core/doctor/report.js';
import type { SkipReason } from '../../src/core/episode/eligible.js';
import { HOUR, MINUTE } from '../../src/core/kernel/time.js';
import * as given from './doctor-facts.js';

const { NOW } = given;

export type Case = readonly [title: string, facts: DoctorFacts, status: CheckRow['status'], name: string, detail: string, hint?: string];

export const streak = (reason: SkipReason) => given.inside({ skip_streaks: [{ harness: 'triage', reason, runs: 5 }] });
export const MEMORY_CASES: readonly Case[] = [
  ['a provider not asked yet', given.memory({ state: { kind: 'unknown', since: NOW } }), 'info', 'provider', 'builtin was not asked yet'],
  [
    'an incompatible provider',
    given.memory({ state: { kind: 'incompatible', since: NOW, why: 'tool memory_forget is missing' } }),
    'error',
    'provider',
    'builtin cannot be used: tool memory_forget is missing',
    'harness memory provider schema',
  ],
  [
    'a provider just gone',
    given.memory({ state: { kind: 'unavailable', since: NOW - 5 * MINUTE, why: 'provider_timeout' } }),
    'warn',
    'provider',
    'builtin does not answer (5 min): provider_timeout',
    'harness memory status',
  ],
  [
    'a provider gone for long',
    given.memory({ provider: 'zep', state: { kind: 'unavailable', since: NOW - 10 * MINUTE, why: 'provider_timeout' } }),
    'error',
    'provider',
    'zep has not answered for 10 min: provider_timeout',
    'harness memory status',
  ],
  ['records that failed', given.memory({ failed_records: 2 }), 'warn', 'records', '2 records failed for good', 'harness memory status'],
  [
    'records that wait',
    given.memory({ pending_records: 3, oldest_record: 2 * HOUR }),
    'warn',
    'records',
    '3 records waiting for the provider, the oldest for 2 h',
    'harness memory status',
  ],
  ['forgets that failed', given.memory({ failed_forgets: 1 }), 'warn', 'forgets', '1 forget failed for good', 'harness memory status'],
  [
    'forgets that wait',
    given.memory({ pending_forgets: 1, oldest_forget: 2 * HOUR }),
    'warn',
    'forgets',
    '1 forget waiting for the provider, the oldest for 2 h',
    'harness memory status',
  ],
  [
    'recalls that fell short',
    given.memory({ degraded_24h: 4 }),
    'warn',
    'recall',
    '4 recalls fell short in the last 24 h',
    'harness memory status',
  ],
  [
    'missing vectors',
    given.memory({ embedding_model: 'e5', missing_vectors: 7, vector_trouble: 'connection refused' }),
    'warn',
    'vectors',
    '7 episodes without one of e5: connection refused',
    'harness memory status',
  ],
  [
    'runs in no repository',
    streak('no_repository'),
    'warn',
    'episodes',
    'triage: the last 5 runs got none (no_repository): it works in no git repository',
    'git -C /srv/api init',
  ],
  [
    'runs without a process',
    streak('no_process'),
    'warn',
    'episodes',
    'triage: the last 5 runs got none (no_process): no process of it started',
    'harness logs triage',
  ],
  [
    'runs without a session',
    streak('no_session'),
    'warn',
    'episodes',
    'triage: the last 5 runs got none (no_session): its runs told of no session',
    'harness logs triage --stream',
  ],
  [
    'runs without a trace',
    streak('no_trace'),
    'warn',
    'episodes',
    'triage: the last 5 runs got none (no_trace): its runs kept no trace',
    'harness trigger triage',
  ],
  [
    'runs opted out until now',
    streak('opted_out'),
    'warn',
    'episodes',
    'triage: the last 5 runs got none (opted_out): its runs were told not to be remembered',
    'harness trigger triage',
  ],
  [
    'sessions of nobody',
    given.inside({ unattributed: { ambiguous: 2, unreadable: 1, no_run: 9 } }),
    'warn',
    'sessions',
    '3 sessions could be tied to no run (ambiguous 2, unreadable 1)',
    'harness config show',
  ],
  [
    'a provider on the network',
    given.memory({ provider: 'zep', reach: { kind: 'http', host: 'zep.example.net' } }),
    'info',
    'provider',
    'zep is at zep.example.net: episodes leave this host',
  ],
  [
    'a provider that is a process',
    given.memory({ provider: 'zep', reach: { kind: 'stdio' } }),
    'info',
    'provider',
    'zep is a process on this host; Harness cannot see whether it calls a network service',
  ],
];
