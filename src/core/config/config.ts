// The loaded configuration: every value decided, every path as the operator wrote it or resolved where the rules say so.
// Durations are milliseconds, sizes bytes.
import type { AdapterTable } from '../adapter/declaration.js';
import type { OptionValues } from '../adapter/render.js';

/** Where a table or key stands: file as given, 1-based line. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** The prompt of a one-shot: given in place, or a file read again at every spawn. */
export type PromptSource = { readonly kind: 'prompt'; readonly text: string } | { readonly kind: 'prompt_file'; readonly path: string };

export interface HarnessConfig {
  readonly name: string;
  readonly at: Position;
  /** An adapter's name, or `command`. */
  readonly harness: string;
  readonly description?: string;
  readonly enabled: boolean;
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
  readonly budget: { readonly max_concurrent?: number };
}
