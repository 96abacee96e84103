// What a doctor looks at, as plain values: gathered on the host, and of a daemon that answers. Nothing here is a judgement.
import type { SkipReason } from '../episode/eligible.js';
import type { Duration, Instant } from '../kernel/time.js';
import type { ProviderState } from '../provider/state.js';
import type { Unattributed } from '../run/attribution.js';
import type { Hold, ResidentPhase } from '../run/resident.js';

export interface DoctorFacts {
  readonly now: Instant;
  /** Of the command that asks. */
  readonly version: string;
  readonly node: { readonly version: string; readonly minimum: string };
  readonly config: ConfigFacts;
  readonly daemon: DaemonAnswer;
  readonly service?: ServiceFacts;
  readonly state: StateFacts;
  readonly store: StoreFacts;
  /** As the daemon sees them while it answers, else as this host shows them; absent when no configuration loads. */
  readonly fleet?: FleetFacts;
  /** Absent while no daemon answers, or one that cannot tell. */
  readonly inside?: DaemonFacts;
}

export type ConfigFacts =
  | { readonly kind: 'missing'; readonly file: string }
  | { readonly kind: 'invalid'; readonly file: string; readonly errors: readonly string[] }
  | { readonly kind: 'loaded'; readonly file: string; readonly harnesses: number; readonly warnings: readonly string[] };

export type DaemonAnswer =
  | { readonly kind: 'silent'; readonly why: string }
  | {
      readonly kind: 'answers';
      readonly version: string;
      readonly pid: number;
      readonly started_at: Instant;
      readonly harnesses: number;
      readonly active_runs: number;
      /** Why the last reload was refused; none when it was not. */
      readonly config_errors: readonly string[];
      /** Why projects that are up could not be loaded again. */
      readonly project_errors: readonly string[];
    };

/** Of a service that Harness installed. */
export interface ServiceFacts {
  readonly manager: string;
  readonly active: string;
  readonly up_to_date: boolean;
  readonly linger?: boolean;
  /** Command lines. */
  readonly start: string;
  readonly restart: string;
  readonly outlive?: string;
}

export interface StateFacts {
  readonly directory: string;
  /** Permission bits; absent when there is no directory yet. */
  readonly mode?: number;
  readonly own: boolean;
  /** Bytes left on its disk, for this user. */
  readonly free?: number;
}

export type StoreFacts = {
  readonly file: string /** Oldest first; what a restore replaced is none. */;
  readonly backups: readonly StoreCopy[];
} & (
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly code: string; readonly why: string }
  | {
      readonly kind: 'sound';
      readonly version: number;
      readonly bytes: number;
      readonly runs: number;
      /** When every page was last looked at; absent when they were not yet. */
      readonly checked_at?: Instant;
    }
);

export interface StoreCopy {
  readonly file: string;
  readonly at: Instant;
  /** An operator asked for it. */
  readonly by_hand: boolean;
}

export interface FleetFacts {
  readonly as_root: boolean;
  readonly clients: readonly ClientFact[];
  readonly harnesses: readonly HarnessFact[];
}

export type FoundProgram =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'forbidden'; readonly path: string };

/** An adapter that a harness uses. */
export interface ClientFact {
  readonly adapter: string;
  readonly family: string;
  readonly executable: string;
  readonly found: FoundProgram;
  readonly min_version?: string;
  /** What it says when asked for its version: a number, or why there is none. */
  readonly version?: { readonly number: string } | { readonly trouble: string };
  /** What is found is a script whose native binary is not beside it. */
  readonly script: boolean;
}

export interface HarnessFact {
  readonly name: string;
  readonly adapter: string;
  /** Of a `command`: its program. */
  readonly program?: { readonly name: string; readonly found: FoundProgram };
  readonly workdir?: { readonly path: string; readonly exists: boolean };
  readonly env_files: readonly { readonly path: string; readonly kind: 'private' | 'shared' | 'missing' }[];
  /** The client accepts everything, and would refuse to do that as root. */
  readonly refuses_root: boolean;
  /** A prompt that its client reads as a command. */
  readonly slash_prompt: boolean;
  /** Its runs can become episodes, and are meant to. */
  readonly remembered: boolean;
  readonly untrusted_inline: boolean;
  readonly memory_briefing: boolean;
  readonly briefing_max_chars: number;
}

/** Bumped when the meaning of a fact changes: a doctor reads no others than its own. */
export const DAEMON_FACTS_FORMAT = 1;

export interface DaemonFacts {
  readonly format: typeof DAEMON_FACTS_FORMAT;
  readonly fleet: FleetFacts;
  readonly store_checked_at?: Instant;
  readonly ledger: { readonly queued: number; readonly errors: number; readonly cut: number };
  readonly memory: MemoryFacts;
  readonly residents: readonly ResidentFact[];
  readonly schedules: readonly ScheduleFact[];
  /** Harnesses whose newest runs all got no episode, for one reason. */
  readonly skip_streaks: readonly { readonly harness: string; readonly reason: SkipReason; readonly runs: number }[];
  /** Sessions whose transcript was seen and that belong to no run, since the daemon started. */
  readonly unattributed: Readonly<Partial<Record<Unattributed, number>>>;
}

export interface MemoryFacts {
  readonly provider: string;
  /** Whether episodes may leave the host, as far as Harness can see. */
  readonly reach: { readonly kind: 'builtin' } | { readonly kind: 'stdio' } | { readonly kind: 'http'; readonly host: string };
  readonly state: ProviderState;
  readonly contract: number;
  readonly pending_records: number;
  readonly failed_records: number;
  readonly pending_forgets: number;
  readonly failed_forgets: number;
  /** How long the oldest has waited; absent when none waits. */
  readonly oldest_record?: Duration;
  readonly oldest_forget?: Duration;
  readonly degraded_24h: number;
  readonly embedding_model?: string;
  readonly missing_vectors: number;
  readonly vector_trouble: string;
}

export interface ResidentFact {
  readonly harness: string;
  readonly phase: ResidentPhase;
  readonly failures: number;
  readonly holds: readonly Hold[];
}

export interface ScheduleFact {
  readonly harness: string;
  readonly next?: Instant;
  /** Windows of the last day that no run honoured. */
  readonly missed_24h: number;
}
