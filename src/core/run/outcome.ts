// The closed words of a run record: kinds, triggers, outcomes and reasons.

export const RUN_KINDS = ['oneshot', 'resident'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const TRIGGERS = ['schedule', 'catch_up', 'channel', 'webhook', 'manual', 'autostart', 'restart', 'release', 'lease'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const OUTCOMES = [
  'success',
  'failed',
  'timed_out',
  'skipped',
  'replaced',
  'missed',
  'cancelled',
  'interrupted',
  'budget_exceeded',
  'quota_parked',
  'model_mismatch',
  'model_unattested',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const REASONS = [
  'spawn',
  'overlap',
  'stopping',
  'outside_hours',
  'quota_parked',
  'budget',
  'concurrency',
  'model_hold',
  'template_unresolved',
  'screen_hold',
  'screen_block',
  'operator',
  'hours',
  'reload',
  'shutdown',
  'daemon_crash',
  'max_tokens',
  'max_cost_usd',
  'daily_cost_usd',
] as const;
export type Reason = (typeof REASONS)[number];

export const COST_SOURCES = ['recorded', 'priced', 'unknown'] as const;
export type CostSource = (typeof COST_SOURCES)[number];
