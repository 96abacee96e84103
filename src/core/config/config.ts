// The loaded configuration: every value decided, every path as the operator wrote it or resolved where the rules say so.
// Durations are milliseconds, sizes bytes.
import type { AdapterTable } from '../adapter/declaration.js';
import type { OptionValues } from '../adapter/render.js';
import type { OverlapRule } from '../run/admission.js';
import type { OperatingHours } from '../run/operating-hours.js';
import type { RunKind } from '../run/outcome.js';
import type { Restart } from '../run/restart.js';
import type { Schedule } from '../run/schedule.js';

/** Where a table or key stands: file as given, 1-based line. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** The prompt of a one-shot: given in place, or a file read again at every spawn. */
export type PromptSource = { readonly kind: 'prompt'; readonly text: string } | { readonly kind: 'prompt_file'; readonly path: string };

export interface HarnessConfig {
  /** `<project>/<name>` for one that a project or the scratchpad registered. */
  readonly name: string;
  readonly at: Position;
  /** An adapter's name, or `command`. */
  readonly harness: string;
  readonly kind: RunKind;
  readonly description?: string;
  /** Only a resident's can be true: it starts with the daemon. */
  readonly enabled: boolean;
  readonly restart: Restart;
  /** Wait before the first restart; each further one waits twice as long. */
  readonly restart_delay: number;
  readonly on_overlap: OverlapRule;
  readonly schedule?: Schedule;
  readonly catch_up: boolean;
  readonly operating_hours?: OperatingHours;
  readonly max_runs_per_day?: number;
  readonly daily_cost_usd?: number;
  readonly quota_group?: string;
  /** Whose transcripts tell what a `command` did. */
  readonly transcripts?: string;
  /** Absolute, `~` expanded; the daemon's own directory when the harness sets none. */
  readonly workdir?: string;
  readonly argv?: readonly string[];
  readonly args?: readonly string[];
  readonly prompt?: PromptSource;
  readonly prompt_delivery?: 'argv' | 'stdin' | 'file';
  readonly options: OptionValues;
  readonly env_file: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets_env?: readonly string[];
  readonly timeout: number;
  readonly keep_runs: number;
  readonly record_trace: boolean;
  readonly memory_record: boolean;
  readonly memory_briefing: boolean;
  readonly briefing_max_chars: number;
  readonly untrusted_inline: boolean;
}

export interface ModelApiConfig {
  readonly base_url: string;
  readonly env_file?: string;
  /** The NAME of `${NAME}`; its value is resolved by the daemon alone. */
  readonly api_key_name?: string;
  readonly chat_model?: string;
  readonly utility_model?: string;
  readonly embedding_model?: string;
}

export interface MemoryConfig {
  readonly provider: string;
  readonly retention: number;
  readonly summary: boolean;
  readonly provider_timeout: number;
  readonly excerpt_chars: number;
}

export interface Config {
  readonly file: string;
  readonly harnesses: readonly HarnessConfig[];
  readonly adapters: Readonly<Record<string, AdapterTable>>;
  readonly memory: MemoryConfig;
  readonly model_api?: ModelApiConfig;
  readonly ledger: { readonly retention: number; readonly max_bytes: number; readonly trace_url?: string };
  readonly trace: { readonly retention: number; readonly max_bytes: number; readonly verify: readonly string[] };
  readonly budget: BudgetConfig;
  readonly server: ServerConfig;
}

export interface BudgetConfig {
  readonly max_concurrent?: number;
  readonly daily_cost_usd?: number;
  /** Slots by quota group. */
  readonly groups: Readonly<Record<string, { readonly max_concurrent: number }>>;
}

export interface ServerConfig {
  /** Directory of drop-ins, absolute. */
  readonly harness_d?: string;
}
