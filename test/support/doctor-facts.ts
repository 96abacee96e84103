// A host and a daemon in good health, as a doctor's facts; a test changes what it wants to see.
import type { ClientFact, DaemonFacts, DoctorFacts, HarnessFact, MemoryFacts } from '../../src/core/doctor/facts.js';
import { DAY, HOUR, MINUTE } from '../../src/core/kernel/time.js';

export const NOW = Date.UTC(2026, 8, 30, 12, 0, 0);

export const CLIENT: ClientFact = {
  adapter: 'claude-code',
  family: 'claude-code',
  executable: 'claude',
  found: { kind: 'found', path: '/usr/bin/claude' },
  min_version: '2.1.0',
  version: { number: '2.1.332' },
  script: false,
};

export const HARNESS: HarnessFact = {
  name: 'triage',
  adapter: 'claude-code',
  workdir: { path: '/srv/api', exists: true },
  env_files: [{ path: '/etc/triage.env', kind: 'private' }],
  refuses_root: false,
  slash_prompt: false,
  remembered: true,
  untrusted_inline: false,
  memory_briefing: false,
  briefing_max_chars: 2_000,
};

export const MEMORY: MemoryFacts = {
  provider: 'builtin',
  reach: { kind: 'builtin' },
  state: { kind: 'ready', since: NOW - HOUR, name: 'harness', version: '0.1.0' },
  contract: 1,
  pending_records: 0,
  failed_records: 0,
  pending_forgets: 0,
  failed_forgets: 0,
  degraded_24h: 0,
  missing_vectors: 0,
  vector_trouble: '',
};

export const FLEET = { as_root: false, clients: [CLIENT], harnesses: [HARNESS] };

export const INSIDE: DaemonFacts = {
  format: 1,
  fleet: FLEET,
  ledger: { queued: 0, errors: 0, cut: 0 },
  memory: MEMORY,
  residents: [{ harness: 'watch', phase: 'running', failures: 0, holds: [] }],
  schedules: [
    { harness: 'weekly', next: NOW + 3 * DAY, missed_24h: 0 },
    { harness: 'nightly', next: NOW + 10 * HOUR, missed_24h: 0 },
  ],
  skip_streaks: [],
  unattributed: {},
};

export const SERVICE = {
  manager: 'systemd',
  active: 'active',
  up_to_date: true,
  linger: true,
  start: 'systemctl --user restart harness.service',
  restart: 'systemctl --user restart harness.service',
  outlive: 'loginctl enable-linger',
};

export const ANSWER = {
  kind: 'answers',
  version: '0.1.0',
  pid: 4242,
  started_at: NOW - 2 * DAY,
  harnesses: 3,
  active_runs: 1,
  config_errors: [],
  project_errors: [],
} as const;

export const COPY = { file: '/state/backups/harness-20260929T120000000Z-manual.db', at: NOW - DAY, by_hand: true };

export const STORE = {
  file: '/state/harness.db',
  backups: [COPY],
  kind: 'sound',
  version: 5,
  bytes: 1_258_291,
  runs: 12,
  checked_at: NOW - 5 * MINUTE,
} as const;

export const HEALTHY: DoctorFacts = {
  now: NOW,
  version: '0.1.0',
  node: { version: '20.20.2', minimum: '20.19.0' },
  config: { kind: 'loaded', file: '/home/ada/.config/harness/harness.toml', harnesses: 3, warnings: [] },
  daemon: ANSWER,
  service: SERVICE,
  state: { directory: '/state', mode: 0o700, own: true, free: 50 * 2 ** 30 },
  store: STORE,
  fleet: FLEET,
  inside: INSIDE,
};

export const inside = (change: Partial<DaemonFacts>): DoctorFacts => ({ ...HEALTHY, inside: { ...INSIDE, ...change } });
export const memory = (change: Partial<MemoryFacts>): DoctorFacts => inside({ memory: { ...MEMORY, ...change } });
export const harness = (change: Partial<HarnessFact>): DoctorFacts => fleet({ harnesses: [{ ...HARNESS, ...change }] });
export const client = (change: Partial<ClientFact>): DoctorFacts => fleet({ clients: [{ ...CLIENT, ...change }] });
export const fleet = (change: Partial<typeof FLEET>): DoctorFacts => {
  const changed = { ...FLEET, ...change };
  return { ...inside({ fleet: changed }), fleet: changed };
};
