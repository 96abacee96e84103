// What is remembered and what is not: the provider, what waits for it, recalls that fell short, runs without an episode
// (SPEC-0030 REQ-18, REQ-19).
import type { SkipReason } from '../episode/eligible.js';
import { shellLine } from '../kernel/shell-line.js';
import { HOUR, type Instant, MINUTE } from '../kernel/time.js';
import { UNATTRIBUTED } from '../run/attribution.js';
import type { DaemonFacts, HarnessFact, MemoryFacts } from './facts.js';
import { type CheckRow, counted, error, info, ok, warn } from './report.js';
import { roughly } from './spans.js';

/** A provider may restart; beyond this it is down. */
export const UNREACHABLE_AFTER = 5 * MINUTE;
/** A record or a forget that waits longer is stuck. */
export const LATE_AFTER = HOUR;

export const checkMemory = ({ memory, skip_streaks, unattributed, fleet }: DaemonFacts, now: Instant): readonly CheckRow[] => [
  ...checkProvider(memory, now),
  ...checkWaiting('record', memory.failed_records, memory.pending_records, memory.oldest_record),
  ...checkWaiting('forget', memory.failed_forgets, memory.pending_forgets, memory.oldest_forget),
  ...(memory.degraded_24h === 0
    ? []
    : [warn('recall', `${counted(memory.degraded_24h, 'recall')} fell short in the last 24 h`, 'harness memory status')]),
  ...checkVectors(memory),
  ...skip_streaks.flatMap((streak) => checkStreak(streak, fleet.harnesses)),
  ...checkUnattributed(unattributed),
  ...listBriefed(fleet.harnesses),
];

const checkProvider = (memory: MemoryFacts, now: Instant): readonly CheckRow[] => [judgeProvider(memory, now), ...noteReach(memory)];

const judgeProvider = ({ provider, state, contract }: MemoryFacts, now: Instant): CheckRow => {
  const span = now - state.since;
  switch (state.kind) {
    case 'ready':
      return ok('provider', `${provider}, contract ${contract}, ${state.name} ${state.version}`);
    case 'unknown':
      return info('provider', `${provider} was not asked yet`);
    case 'incompatible':
      return error('provider', `${provider} cannot be used: ${state.why}`, 'harness memory provider schema');
    case 'unavailable':
      return span > UNREACHABLE_AFTER
        ? error('provider', `${provider} has not answered for ${roughly(span)}: ${state.why}`, 'harness memory status')
        : warn('provider', `${provider} does not answer (${roughly(span)}): ${state.why}`, 'harness memory status');
  }
};

const noteReach = ({ provider, reach }: MemoryFacts): readonly CheckRow[] => {
  switch (reach.kind) {
    case 'builtin':
      return [];
    case 'http':
      return [info('provider', `${provider} is at ${reach.host}: episodes leave this host`)];
    case 'stdio':
      return [info('provider', `${provider} is a process on this host; Harness cannot see whether it calls a network service`)];
  }
};

const checkWaiting = (kind: 'record' | 'forget', failed: number, pending: number, oldest: number | undefined): readonly CheckRow[] => [
  ...(failed === 0 ? [] : [warn(`${kind}s`, `${counted(failed, kind)} failed for good`, 'harness memory status')]),
  ...(oldest === undefined || oldest <= LATE_AFTER
    ? []
    : [warn(`${kind}s`, `${counted(pending, kind)} waiting for the provider, the oldest for ${roughly(oldest)}`, 'harness memory status')]),
];

const checkVectors = ({ embedding_model, missing_vectors, vector_trouble }: MemoryFacts): readonly CheckRow[] =>
  embedding_model === undefined || missing_vectors === 0
    ? []
    : [
        warn(
          'vectors',
          `${counted(missing_vectors, 'episode')} without one of ${embedding_model}${vector_trouble === '' ? '' : `: ${vector_trouble}`}`,
          'harness memory status',
        ),
      ];

const WITHOUT: Readonly<Record<SkipReason, string>> = {
  opted_out: 'its runs were told not to be remembered',
  no_trace: 'its runs kept no trace',
  no_process: 'no process of it started',
  no_session: 'its runs told of no session',
  no_repository: 'it works in no git repository',
};

const checkStreak = (
  { harness, reason, runs }: DaemonFacts['skip_streaks'][number],
  harnesses: readonly HarnessFact[],
): readonly CheckRow[] => {
  const known = harnesses.find(({ name }) => name === harness);
  if (known?.remembered !== true) return [];
  return [warn('episodes', `${harness}: the last ${runs} runs got none (${reason}): ${WITHOUT[reason]}`, nextStep(known, reason))];
};

const nextStep = ({ name, workdir }: HarnessFact, reason: SkipReason): string => {
  switch (reason) {
    case 'no_repository':
      return workdir === undefined ? shellLine(['harness', 'describe', name]) : shellLine(['git', '-C', workdir.path, 'init']);
    case 'no_process':
      return shellLine(['harness', 'logs', name]);
    case 'no_session':
      return shellLine(['harness', 'logs', name, '--stream']);
    case 'opted_out':
    case 'no_trace':
      return shellLine(['harness', 'trigger', name]);
  }
};

/** An operator's own sessions lie beside those of runs and belong to none of them: that is no fault. */
const FAULTS = UNATTRIBUTED.filter((reason) => reason === 'ambiguous' || reason === 'no_workdir' || reason === 'unreadable');

const checkUnattributed = (counts: DaemonFacts['unattributed']): readonly CheckRow[] => {
  const told = FAULTS.flatMap((reason) => ((counts[reason] ?? 0) > 0 ? [`${reason} ${counts[reason]}`] : []));
  const total = FAULTS.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
  return told.length === 0
    ? []
    : [warn('sessions', `${counted(total, 'session')} could be tied to no run (${told.join(', ')})`, 'harness config show')];
};

const listBriefed = (harnesses: readonly HarnessFact[]): readonly CheckRow[] => {
  const names = harnesses.filter(({ memory_briefing }) => memory_briefing).map(({ name }) => name);
  return names.length === 0 ? [] : [info('briefing', `given to: ${names.join(', ')}`)];
};
