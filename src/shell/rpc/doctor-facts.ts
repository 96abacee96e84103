// Gathers what only the daemon knows, for its doctor to judge.
import { DAEMON_FACTS_FORMAT, type DaemonFacts, type MemoryFacts } from '../../core/doctor/facts.js';
import { DAY, type Duration, formatInstant, parseInstant } from '../../core/kernel/time.js';
import { CONTRACT_VERSION } from '../../core/provider/contract.js';
import type { StoreHealth } from '../daemon/store-health.js';
import { lookAtFleet } from '../host/look-at-fleet.js';
import { BUILTIN_PROVIDER } from '../provider/builtin-server.js';
import type { DoctorCounts } from '../store/doctor-table.js';
import type { ControlDeps } from './control-service.js';
import type { MemoryDeps } from './memory-service.js';

export interface DoctorDeps extends ControlDeps, Pick<MemoryDeps, 'provider' | 'world' | 'embedder' | 'filler'> {
  readonly health: StoreHealth;
}

export const gatherDaemonFacts = async (deps: DoctorDeps): Promise<DaemonFacts> => {
  const { roster, supervisor, journal, store, provider, world, health } = deps;
  const config = roster.current();
  const checkedAt = health.checkedAt();
  const counts = await store.read('readDoctorCounts', { provider: provider.name, since: formatInstant(world.now() - DAY) });
  return {
    format: DAEMON_FACTS_FORMAT,
    fleet: await lookAtFleet(config, world.environment),
    ...(checkedAt === undefined ? {} : { store_checked_at: checkedAt }),
    ledger: journal.health(),
    memory: await gatherMemory(counts, deps),
    residents: residentsOf(deps),
    schedules: schedulesOf(counts, deps),
    skip_streaks: counts.skip_streaks,
    unattributed: supervisor.unattributed(),
  };
};

const gatherMemory = async (
  counts: DoctorCounts,
  { store, provider, world, configuration, embedder, filler }: DoctorDeps,
): Promise<MemoryFacts> => {
  const now = world.now();
  const held = await store.read('memoryCounts', { provider: provider.name, since: formatInstant(now - DAY) });
  const model = configuration.current().model_api?.embedding_model;
  const dim = embedder?.dimension();
  const vectors =
    model === undefined ? undefined : await store.read('builtinVectorCount', { model_id: model, ...(dim === undefined ? {} : { dim }) });
  const record = ageOf(counts.oldest_record_at, now);
  const forget = ageOf(counts.oldest_forget_at, now);
  return {
    provider: provider.name,
    reach: reachOf(provider.name),
    state: provider.state(),
    contract: CONTRACT_VERSION,
    pending_records: held.pending_records,
    failed_records: held.failed_records,
    pending_forgets: held.pending_forgets,
    failed_forgets: held.failed_forgets,
    ...(record === undefined ? {} : { oldest_record: record }),
    ...(forget === undefined ? {} : { oldest_forget: forget }),
    degraded_24h: held.degraded_24h,
    ...(model === undefined ? {} : { embedding_model: model }),
    missing_vectors: vectors?.missing ?? 0,
    vector_trouble: filler?.trouble() ?? '',
  };
};

const ageOf = (at: string | undefined, now: number): Duration | undefined => {
  const instant = at === undefined ? undefined : parseInstant(at);
  return instant === undefined ? undefined : now - instant;
};

/** Every provider but the built-in is an upstream, which this version does not connect to yet. */
const reachOf = (name: string): MemoryFacts['reach'] => (name === BUILTIN_PROVIDER ? { kind: 'builtin' } : { kind: 'stdio' });

const residentsOf = ({ roster, supervisor }: DoctorDeps): DaemonFacts['residents'] =>
  roster
    .current()
    .harnesses.filter(({ kind }) => kind === 'resident')
    .map(({ name }) => {
      const { phase, failures, holds } = supervisor.view(name);
      return { harness: name, phase, failures, holds };
    });

const schedulesOf = ({ missed }: DoctorCounts, { roster, scheduler }: DoctorDeps): DaemonFacts['schedules'] =>
  roster
    .current()
    .harnesses.filter(({ schedule }) => schedule !== undefined)
    .map((harness) => {
      const next = scheduler.next(harness);
      return { harness: harness.name, ...(next === undefined ? {} : { next }), missed_24h: missed[harness.name] ?? 0 };
    });
