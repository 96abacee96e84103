// The keys of every table but the harness, as data: what is known, what it means, and what this version does not have yet.
import { formatDuration } from '../kernel/time.js';
import {
  AGE_MAX,
  BYTES_PER_MB,
  EXCERPT_CHARS_BOUNDS,
  LEDGER_BOUNDS,
  LEDGER_DEFAULTS,
  MEMORY_DEFAULTS,
  PROVIDER_TIMEOUT_BOUNDS,
  RETENTION_BOUNDS,
  TRACE_DEFAULTS,
} from './limits.js';

export interface TableKey {
  readonly key: string;
  readonly built: boolean;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

const row = (key: string, type: string, fallback: string, meaning: string): TableKey => ({ key, built: true, type, fallback, meaning });

const time = (duration: number): string => `\`"${formatDuration(duration)}"\``;
const size = (bytes: number): string => `\`${bytes / BYTES_PER_MB}\``;
const ages = ({ min, max }: { readonly min: number; readonly max: number }): string => `${formatDuration(min)} to ${formatDuration(max)}`;

const RECORD_AGES = ages({ min: LEDGER_BOUNDS.retention, max: AGE_MAX });

const later = (keys: string): readonly TableKey[] => keys.split(' ').map((key) => ({ ...row(key, '', '', ''), built: false }));

export const TABLE_KEYS: Readonly<Record<string, readonly TableKey[]>> = {
  'adapter.*': [
    row('extends', 'adapter name', '', 'the adapter it starts from; required unless its own name is a built-in'),
    row('executable', 'name or path', "the built-in's", 'the program; a name is looked up in PATH'),
    row('version_argv', 'list of strings', "the built-in's", 'arguments that print the version'),
    row('min_version', 'version', "the built-in's", 'the oldest version that will do'),
    row('one_shot', 'list of strings', "the built-in's", 'arguments of a run: `{{opt.NAME}}`, `{{session_id}}`, and `{{prompt}}` last'),
    row('options', 'table of lists', "the built-in's", 'how each option is spelled: `{{value}}`, or `{{values}}` for a list'),
    row('env', 'table of strings', "the built-in's", 'environment variables of every run'),
    ...later('transcripts skills tools mcp pin'),
  ],
  memory: [
    row('provider', '`"builtin"`', `\`"${MEMORY_DEFAULTS.provider}"\``, 'who keeps and finds episodes'),
    ...later('consolidators reverify_per_run max_records_per_run max_votes_per_run suppress_retracted'),
  ],
  'memory.episodes': [
    row('retention', 'duration', time(MEMORY_DEFAULTS.retention), `age at which an episode is forgotten, ${ages(RETENTION_BOUNDS)}`),
    row('summary', 'true or false', `\`${MEMORY_DEFAULTS.summary}\``, 'ask the utility model for a summary of each episode'),
    row(
      'provider_timeout',
      'duration',
      time(MEMORY_DEFAULTS.provider_timeout),
      `how long a recall may take, ${ages(PROVIDER_TIMEOUT_BOUNDS)}`,
    ),
    row(
      'excerpt_chars',
      'whole number',
      `\`${MEMORY_DEFAULTS.excerpt_chars}\``,
      `how many characters of the final answer an episode keeps, ${EXCERPT_CHARS_BOUNDS.min} to ${EXCERPT_CHARS_BOUNDS.max}`,
    ),
  ],
  model_api: [
    row('base_url', 'URL', 'required', 'root of an OpenAI-compatible API, such as `http://127.0.0.1:4000/v1`'),
    row('env_file', 'path', '', 'the file that holds the key; must be yours and 0600 or 0400'),
    row('api_key', '`"${NAME}"`', '', 'the name of the key in `env_file`; a literal key is refused'),
    row('chat_model', 'string', '', 'the model for work that takes thought'),
    row('utility_model', 'string', '', 'the model for summaries'),
    row('embedding_model', 'string', '', 'the model for embeddings; a concrete id, never a movable alias'),
    ...later('utility_rate_per_minute utility_daily_requests utility_daily_cost_usd'),
  ],
  ledger: [
    row('retention', 'duration', time(LEDGER_DEFAULTS.retention), `age at which a run record is dropped, ${RECORD_AGES}`),
    row('max_mb', 'whole number', size(LEDGER_DEFAULTS.max_bytes), `size of all run records in MiB, at least ${LEDGER_BOUNDS.max_mb}`),
    row('trace_url', 'URL', '', 'where a trace can be seen, with `{trace_id}`; not written into run records in this version'),
  ],
  trace: [
    row('retention', 'duration', time(TRACE_DEFAULTS.retention), `age at which a session is dropped, ${RECORD_AGES}`),
    row('max_mb', 'whole number', size(TRACE_DEFAULTS.max_bytes), `size of all traces in MiB, at least ${LEDGER_BOUNDS.max_mb}`),
    row('verify', 'list of strings', '`[]`', 'further commands that count as checking the work'),
  ],
  budget: [
    row('max_concurrent', 'whole number', 'no limit', 'how many one-shots may run at once'),
    row('daily_cost_usd', 'number', 'no limit', 'no start of any harness when the runs of the day have cost this much'),
    ...later('day_starts prices'),
  ],
  'budget.group.*': [row('max_concurrent', 'whole number', 'required', 'how many one-shots of the group may run at once')],
  project: [row('name', 'string', "the directory's name", 'what stands before its harnesses: `<project>/<harness>`')],
  server: [
    row('harness_d', 'path', '', 'a directory of drop-ins: every `*.toml` in it, in the order of their names'),
    ...later(
      'webhook_listen metrics_listen metrics_token_file grpc_listen grpc_cert_file grpc_key_file grpc_client_ca_file grpc_client env_file',
    ),
  ],
};
