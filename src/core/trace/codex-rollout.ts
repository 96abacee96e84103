// Reads the rollout that codex keeps of a thread. What was done stands in its completed items; the messages to and from the model
// are left alone, since there a tool may be called from within a script (ADR-0033).
import { codePointLength } from '../kernel/text.js';
import { type Instant, parseInstant } from '../kernel/time.js';
import type { TokenCounts } from '../run/record.js';
import type { SessionUsage, TraceItem, TranscriptReader } from '../run/trace-event.js';
import { addTokens, NO_TOKENS } from '../run/usage.js';
import { hasFailed } from './codex.js';
import { modelErrorClass } from './error-class.js';
import { contentBytes, countAt, isRow, listAt, nameAt, type Row, rowAt, rowsAt, textAt } from './fields.js';
import { announce, dropped, eventItem, type MarkEvent, markItem, NO_SESSIONS, type SessionState, type Step } from './session-state.js';
import { type CallReading, type CallSetting, callEvent, keptTargets, readCommand, shortLabel } from './tool-call.js';
import { parentThread } from './transcript-head.js';

export interface RolloutState extends SessionState {
  readonly thread?: string;
  readonly parent?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly tokens: TokenCounts;
  readonly model_calls: number;
  /** Output tokens by the model that was asked. */
  readonly served: ReadonlyMap<string, number>;
}

type RolloutStep = Step<RolloutState>;

const START: RolloutState = { ...NO_SESSIONS, tokens: NO_TOKENS, model_calls: 0, served: new Map() };

/** A record names so many models at most. */
const MODELS_MAX = 16;

/** Rows and events that are known to say nothing of what a run did, or to say it again. */
const SKIPPED_ROWS = new Set(['response_item', 'world_state', 'inter_agent_communication_metadata']);
const SKIPPED_ITEMS = new Set(['AgentMessage', 'Reasoning', 'Plan', 'TodoList', 'Error', 'ContextCompaction']);

/** One rollout is one thread's. `verifyExtras` are an operator's own verify patterns. */
export const codexRolloutReader = (verifyExtras: readonly string[] = []): TranscriptReader<RolloutState> => ({
  initial: START,
  step: (state, line, now) => {
    if (!isRow(line)) return dropped(state, 'not_json');
    const type = textAt(line, 'type') ?? '';
    const place = { type, payload: rowAt(line, 'payload'), at: parseInstant(textAt(line, 'timestamp') ?? '') ?? now, verifyExtras };
    if (type === 'session_meta' || type === 'turn_context') return quiet(note(state, type, place.payload));
    if (SKIPPED_ROWS.has(type)) return quiet(state);
    if (!ROWS.has(type)) return dropped(state, 'unknown_shape');
    return announced(state, place);
  },
  skip: (state, line) => (isRow(line) ? note(state, textAt(line, 'type') ?? '', rowAt(line, 'payload')) : state),
  finish: ({ thread, model_calls, ...state }) =>
    thread === undefined || model_calls === 0 ? [] : [{ type: 'usage', session_id: thread, usage: usageOf({ ...state, model_calls }) }],
});

const ROWS = new Set(['event_msg', 'token_usage_record', 'compacted']);

interface RowPlace {
  readonly type: string;
  readonly payload: Row;
  readonly at: Instant;
  readonly verifyExtras: readonly string[];
}

/** Whose rollout it is stands in its first row; later ones are of the threads it stems from. The model may change by the turn. */
const note = (state: RolloutState, type: string, payload: Row): RolloutState => {
  if (type === 'turn_context') {
    const model = nameAt(payload, 'model');
    return model === undefined ? state : { ...state, model };
  }
  const thread = nameAt(payload, 'id');
  if (type !== 'session_meta' || thread === undefined || state.thread !== undefined) return state;
  const parent = parentThread(payload);
  const cwd = textAt(payload, 'cwd');
  const provider = nameAt(payload, 'model_provider');
  return {
    ...state,
    thread,
    ...(parent === undefined ? {} : { parent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(provider === undefined ? {} : { provider }),
  };
};

/** The session is announced by the first row of the run, which may come long after the first of the file. */
const announced = (state: RolloutState, place: RowPlace): RolloutStep => {
  const { thread, parent, cwd, model } = state;
  if (thread === undefined) return dropped(state, 'no_session');
  const of = nameAt(place.payload, 'thread_id');
  if (of !== undefined && of !== thread) return quiet(state);
  const first = announce(state, {
    session_id: thread,
    ...(parent === undefined ? {} : { parent_session: parent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === undefined ? {} : { model }),
    at: place.at,
  });
  if (first === undefined) return dropped(state, 'no_session');
  const next = stepRow(first.state, thread, place);
  return { state: next.state, items: [...first.items, ...next.items] };
};

const stepRow = (state: RolloutState, thread: string, place: RowPlace): RolloutStep => {
  const mark = (event: MarkEvent): RolloutStep => ({ state, items: [markItem(thread, place.at, event)] });
  if (place.type === 'token_usage_record') return quiet(addUsage(state, rowAt(place.payload, 'usage')));
  if (place.type === 'compacted') return mark({ mark: 'compaction', summary: 'compaction' });
  switch (textAt(place.payload, 'type')) {
    case 'item_completed':
      return itemCompleted(state, thread, rowAt(place.payload, 'item'), place);
    case 'task_complete':
      return { state, items: turnEnd(thread, place) };
    case 'turn_aborted':
      return mark({ mark: 'turn-end', summary: 'aborted' });
    case 'error':
      return mark(failure(textAt(place.payload, 'message') ?? ''));
    default:
      return quiet(state);
  }
};

/** A turn that failed says why. */
const turnEnd = (thread: string, { payload, at }: RowPlace): readonly TraceItem[] => {
  const error = rowAt(payload, 'error');
  const message = textAt(error, 'message');
  const end = markItem(thread, at, { mark: 'turn-end', summary: message === undefined ? 'completed' : 'failed' });
  return message === undefined ? [end] : [markItem(thread, at, failure(`${message} ${textAt(error, 'codex_error_info') ?? ''}`)), end];
};

const failure = (message: string): MarkEvent => {
  const error_class = modelErrorClass(message);
  return { mark: 'error', error_class, summary: `model call failed: ${error_class}` };
};

const itemCompleted = (state: RolloutState, thread: string, item: Row, { at, verifyExtras }: RowPlace): RolloutStep => {
  const type = nameAt(item, 'type') ?? '';
  if (SKIPPED_ITEMS.has(type)) return quiet(state);
  if (type === 'UserMessage') {
    const length = rowsAt(item, 'content').reduce((sum, block) => sum + codePointLength(textAt(block, 'text') ?? ''), 0);
    return { state, items: [markItem(thread, at, { mark: 'user-message', summary: `${length} characters` })] };
  }
  if (type === 'SubAgentActivity')
    return textAt(item, 'kind') === 'started'
      ? { state, items: [markItem(thread, at, { mark: 'subagent', summary: 'subagent' })] }
      : quiet(state);
  const { cwd, model } = state;
  const call = callOf(type, item, { ...(cwd === undefined ? {} : { cwd }), verifyExtras });
  if (call === undefined) return dropped(state, 'unknown_shape');
  const open = { id: nameAt(item, 'id') ?? '', session_id: thread, at, ...call, ...(model === undefined ? {} : { model }) };
  return { state, items: [eventItem(thread, callEvent(open, { is_error: hasFailed(item), ...resultBytes(item) }))] };
};

interface RolloutCall extends CallReading {
  readonly tool: string;
}

/** The call an item stands for, named as on the client's stream; undefined for items nobody knows. */
const callOf = (type: string, item: Row, setting: CallSetting): RolloutCall | undefined => {
  switch (type) {
    case 'CommandExecution':
      return { tool: 'command_execution', ...readCommand(commandOf(item), setting) };
    case 'FileChange': {
      const changes = rowAt(item, 'changes');
      const paths = Object.keys(changes).flatMap((path) => [path, ...(nonEmpty(textAt(rowAt(changes, path), 'move_path')) ?? [])]);
      const targets = paths.map((path) => ({ path, touch: 'edit' }) as const);
      return { tool: 'file_change', action: 'edit', targets: keptTargets(targets, setting.cwd), label: 'file_change' };
    }
    case 'McpToolCall':
      return other(`mcp__${nameAt(item, 'server') ?? ''}__${nameAt(item, 'tool') ?? ''}`);
    case 'CollabAgentToolCall':
      return other(nameAt(item, 'tool') ?? 'collab_tool_call');
    case 'WebSearch':
      return other('web_search');
    case 'ImageView':
      return other('view_image');
    default:
      return undefined;
  }
};

const other = (tool: string): RolloutCall => ({ tool, action: 'other', targets: [], label: shortLabel(tool) });

const nonEmpty = (text: string | undefined): readonly string[] | undefined => (text === undefined || text === '' ? undefined : [text]);

/** What a shell was given to run, else the words of the command. */
const commandOf = (item: Row): string => {
  const words = listAt(item, 'command').filter((word): word is string => typeof word === 'string');
  const [, flag, script] = words;
  return words.length === 3 && (flag === '-lc' || flag === '-c') && script !== undefined ? script : words.join(' ');
};

const resultBytes = (item: Row): { readonly result_bytes?: number } => {
  const output = textAt(item, 'aggregated_output');
  if (output !== undefined) return { result_bytes: contentBytes(output) };
  return textAt(item, 'type') === 'McpToolCall' ? { result_bytes: contentBytes(listAt(rowAt(item, 'result'), 'content')) } : {};
};

/** One answer of the model; the client counts cached tokens as input too. */
const addUsage = (state: RolloutState, counts: Row): RolloutState => {
  const cache_read = countAt(counts, 'cached_input_tokens') ?? 0;
  const cache_write = countAt(counts, 'cache_write_input_tokens') ?? 0;
  const input = Math.max(0, (countAt(counts, 'input_tokens') ?? 0) - cache_read - cache_write);
  const output = countAt(counts, 'output_tokens') ?? 0;
  const { model } = state;
  const known = model !== undefined && (state.served.has(model) || state.served.size < MODELS_MAX);
  const served = !known ? state.served : new Map(state.served).set(model, (state.served.get(model) ?? 0) + output);
  return {
    ...state,
    served,
    tokens: addTokens(state.tokens, { input, output, cache_read, cache_write }),
    model_calls: state.model_calls + 1,
  };
};

const usageOf = ({ served, provider, tokens, model_calls }: Omit<RolloutState, 'thread'>): SessionUsage => ({
  models: [...served].map(([model, output_tokens]) => ({ model, ...(provider === undefined ? {} : { provider }), output_tokens })),
  tokens,
  model_calls,
  cost_source: 'unknown',
});

const quiet = (state: RolloutState): RolloutStep => ({ state, items: [] });
