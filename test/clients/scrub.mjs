// Makes recordings comparable and free of what is not ours to keep: ids are numbered, times spaced evenly, durations made equal,
// and the clients' own prompts and tool descriptions left out.

const UUID = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/g;
const AGENT_ID = /\ba[0-9a-f]{16}\b/g;
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z/g;
const EPOCH_MS = /\b1[789]\d{11}\b/g;
const EPOCH_SECONDS = /\b1[789]\d{8}(\.\d+)?(?![\d.])/g;
const TASK_RUN = /"run_id":"[^"]*"/g;
const SECONDS_TAKEN = /\b\d+\.\d{4} seconds\b/g;
const MS_IN_TEXT = /\bduration_ms: \d+/g;
const WALL_TIME = /(wall_time_seconds\\*":)[\d.e-]+/g;
const CHUNK = /Chunk ID: [0-9a-f]{6}/g;
const CHUNK_ID = /chunk_id(\\*)":(\\*)"[0-9a-f]{6}/g;
const LOCAL_PORT = /127\.0\.0\.1:\d+/g;
const TEMPORARY = /\/tmp\/claude-\d+/g;
const START = Date.UTC(2026, 0, 5, 9, 0, 0);
const STEP_MS = 250;
const DURATION_MS = 100;
const LEFT_OUT = '(left out)';

/** The recorder's own session id keeps its value. */
const OURS = /^5e551011-/;

/**
 * One numbering for all files of a run, so that rows still point at each other.
 * @param {Record<string, string>} files lines of JSON by file name
 * @returns {Record<string, string>}
 */
export const scrubRows = (files) => {
  const rows = Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.split('\n').map(scrubRow).join('\n')]));
  const all = Object.values(rows).join('\n');
  const ids = numbered(all.match(UUID) ?? [], (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  const agents = numbered(all.match(AGENT_ID) ?? [], (n) => `a${String(n).padStart(16, '0')}`);
  return Object.fromEntries(
    Object.entries(rows).map(([file, text]) => [
      file,
      text
        .replace(UUID, (id) => (OURS.test(id) ? id : (ids.get(id) ?? id)))
        .replace(AGENT_ID, (id) => agents.get(id) ?? id)
        .replace(EPOCH_MS, String(START))
        .replace(EPOCH_SECONDS, String(START / 1_000))
        .replace(TASK_RUN, '"run_id":"task-run"')
        .replace(SECONDS_TAKEN, '0.1000 seconds')
        .replace(MS_IN_TEXT, 'duration_ms: 100')
        .replace(WALL_TIME, '$10.1')
        .replace(CHUNK, 'Chunk ID: 000000')
        .replace(CHUNK_ID, 'chunk_id$1":$2"000000')
        .replace(LOCAL_PORT, '127.0.0.1:8080')
        .replace(TEMPORARY, '/srv/home/dev/tmp'),
    ]),
  );
};

/** @param {Iterable<string>} found @param {(n: number) => string} name */
const numbered = (found, name) => new Map([...new Set(found)].map((value, i) => [value, name(i + 1)]));

/** A row's times are those of its place in the file. @param {string} line @param {number} index */
const scrubRow = (line, index) => {
  if (line === '') return line;
  const row = JSON.parse(line);
  return JSON.stringify(cleaned(shortened(row))).replace(INSTANT, new Date(START + index * STEP_MS).toISOString());
};

/** Rows that carry the client's own texts keep their kind and nothing else. @param {any} row */
const shortened = (row) => {
  if (/^(api-request|prompt_snapshot)/.test(row.type)) return { type: row.type, rest: LEFT_OUT };
  if (row.type === 'attachment') return { ...row, attachment: { type: row.attachment?.type, content: LEFT_OUT }, rendered: LEFT_OUT };
  if (row.type === 'system' && row.subtype === 'init')
    return { ...row, slash_commands: [], terminal_slash_commands: [], messaging_socket_path: LEFT_OUT };
  if (row.type === 'session_meta') return { ...row, payload: { ...row.payload, base_instructions: { text: LEFT_OUT } } };
  if (row.type === 'world_state' || row.type === 'inter_agent_communication_metadata') return { type: row.type, payload: LEFT_OUT };
  if (row.type === 'response_item' && row.payload?.type === 'additional_tools') return { ...row, payload: { type: row.payload.type } };
  if (row.type === 'response_item' && ['developer', 'user'].includes(row.payload?.role)) {
    return { ...row, payload: { ...row.payload, content: LEFT_OUT } };
  }
  return row;
};

const DURATIONS = /(_ms|Ms|[dD]uration|DurationWithoutRetries|_seconds|nanos)$/;
const LARGE = new Set([
  'developer_instructions',
  'tools_by_name',
  'encrypted_content',
  'dynamic_tools',
  'collaboration_mode',
  'process_id',
  'digests',
]);

/** @param {any} value @param {string} [key] @returns {any} */
const cleaned = (value, key = '') => {
  if (typeof value === 'number' && DURATIONS.test(key)) return value === 0 ? 0 : DURATION_MS;
  if (LARGE.has(key)) return LEFT_OUT;
  if (Array.isArray(value)) return value.map((item) => cleaned(item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleaned(inner, name)]));
};
