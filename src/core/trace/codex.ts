// Reads what `codex exec --json` prints. The stream names no cwd, model or cost; the caller knows the first, the rollout the second.
import type { SessionUsage, TraceItem, TraceReader } from '../run/trace-event.js';
import { modelErrorClass } from './error-class.js';
import { contentBytes, countAt, isRow, listAt, nameAt, type Row, rowAt, rowsAt, textAt } from './fields.js';
import {
  announce,
  closeCall,
  dropped,
  inSequence,
  markItem,
  NO_SESSIONS,
  openCall,
  type SessionState,
  type Step,
  unfinishedCalls,
} from './session-state.js';
import { type CallReading, type CallSetting, keptTargets, readCommand, shortLabel } from './tool-call.js';

export interface CodexState extends SessionState {
  /** The thread whose stream this is. */
  readonly thread?: string;
  /** The last message of the agent: the result, once its turn is completed. */
  readonly said?: string;
  /** The last error, which a failed turn repeats. */
  readonly error?: string;
  readonly model_calls: number;
}

type CodexStep = Step<CodexState>;

const START: CodexState = { ...NO_SESSIONS, model_calls: 0 };

/** Items that say nothing of what a run did; an item of type `error` is a warning of the client. */
const SKIPPED_ITEMS = new Set(['reasoning', 'todo_list', 'error']);

/** `cwd` is where the run works, absolute; `verifyExtras` are an operator's own verify patterns. */
export const codexReader = (setting: CallSetting = { verifyExtras: [] }): TraceReader<CodexState> => ({
  initial: START,
  step: (state, line, now) => {
    if (!isRow(line)) return dropped(state, 'not_json');
    if (textAt(line, 'harness') === 'line_dropped') return dropped(state, 'line_too_long');
    const type = textAt(line, 'type') ?? '';
    if (type === 'thread.started') return threadStarted(state, line, now, setting.cwd);
    if (!LINES.has(type)) return dropped(state, 'unknown_shape');
    if (state.thread === undefined) return dropped(state, 'no_session');
    return stepLine({ ...state, thread: state.thread }, line, { type, now, setting });
  },
  finish: unfinishedCalls,
});

/** The model that a rollout row says the next turn asks for. */
export const rolloutModel = (line: unknown): string | undefined =>
  isRow(line) && textAt(line, 'type') === 'turn_context' ? nameAt(rowAt(line, 'payload'), 'model') : undefined;

const LINES = new Set(['turn.started', 'turn.completed', 'turn.failed', 'error', 'item.started', 'item.updated', 'item.completed']);

type Running = CodexState & { readonly thread: string };

interface LinePlace {
  readonly type: string;
  readonly now: number;
  readonly setting: CallSetting;
}

const threadStarted = (state: CodexState, line: Row, now: number, cwd: string | undefined): CodexStep => {
  const thread = nameAt(line, 'thread_id');
  if (thread === undefined) return dropped(state, 'no_session');
  const first = announce(state, { session_id: thread, ...(cwd === undefined ? {} : { cwd }), at: now });
  return first === undefined ? dropped(state, 'no_session') : { state: { ...first.state, thread }, items: first.items };
};

const stepLine = (state: Running, line: Row, place: LinePlace): CodexStep => {
  const item = rowAt(line, 'item');
  switch (place.type) {
    case 'turn.completed':
      return turnCompleted(state, rowAt(line, 'usage'), place.now);
    case 'turn.failed':
      return turnFailed(state, textAt(rowAt(line, 'error'), 'message') ?? '', place.now);
    case 'error':
      return modelError(state, textAt(line, 'message') ?? '', place.now);
    case 'item.started':
      return itemStarted(state, item, place);
    case 'item.completed':
      return itemCompleted(state, item, place);
    default:
      return { state, items: [] };
  }
};

const itemStarted = (state: Running, item: Row, place: LinePlace): CodexStep => {
  const call = callOf(item, place.setting);
  const id = nameAt(item, 'id');
  if (call === undefined || id === undefined) return { state, items: [] };
  // Calls that run at the same time were asked for by one answer of the model.
  const model_calls = state.model_calls + (state.calls.size === 0 ? 1 : 0);
  return openCall({ ...state, model_calls }, { id, session_id: state.thread, at: place.now, ...call });
};

const itemCompleted = (state: Running, item: Row, place: LinePlace): CodexStep => {
  const type = textAt(item, 'type') ?? '';
  if (SKIPPED_ITEMS.has(type)) return { state, items: [] };
  if (type === 'agent_message') return { state: { ...state, said: textAt(item, 'text') ?? '' }, items: [] };
  if (type === 'collab_tool_call' && textAt(item, 'tool') === 'spawn_agent') return subagents(state, item, place.now);
  if (callOf(item, place.setting) === undefined) return dropped(state, 'unknown_shape');
  const id = nameAt(item, 'id') ?? '';
  const open = state.calls.has(id) ? { state, items: [] } : itemStarted(state, item, place);
  const closed = closeCall(open.state, id, { is_error: hasFailed(item), ...resultBytes(item) });
  return { state: closed.state, items: [...open.items, ...closed.items] };
};

interface CodexCall extends CallReading {
  readonly tool: string;
}

/** The call an item stands for, under the item's own type; undefined for other items. */
const callOf = (item: Row, setting: CallSetting): CodexCall | undefined => {
  const type = textAt(item, 'type') ?? '';
  switch (type) {
    case 'command_execution':
      return { tool: type, ...readCommand(textAt(item, 'command') ?? '', setting) };
    case 'file_change': {
      const paths = rowsAt(item, 'changes').flatMap((change) => textAt(change, 'path') ?? []);
      const targets = keptTargets(
        paths.map((path) => ({ path, touch: 'edit' })),
        setting.cwd,
      );
      return { tool: type, action: 'edit', targets, label: type };
    }
    case 'mcp_tool_call': {
      const tool = `mcp__${nameAt(item, 'server') ?? ''}__${nameAt(item, 'tool') ?? ''}`;
      return { tool, action: 'other', targets: [], label: shortLabel(tool) };
    }
    case 'collab_tool_call': {
      const tool = nameAt(item, 'tool') ?? type;
      return tool === 'spawn_agent' ? undefined : { tool, action: 'other', targets: [], label: shortLabel(tool) };
    }
    case 'web_search':
      return { tool: type, action: 'other', targets: [], label: type };
    default:
      return undefined;
  }
};

/** A command says how it ended by its exit code; everything else by its status. */
export const hasFailed = (item: Row): boolean => {
  const status = textAt(item, 'status');
  const exit = item['exit_code'];
  return status === 'failed' || status === 'declined' || (typeof exit === 'number' && exit !== 0);
};

const resultBytes = (item: Row): { readonly result_bytes?: number } => {
  const output = textAt(item, 'aggregated_output');
  if (output !== undefined) return { result_bytes: contentBytes(output) };
  return textAt(item, 'type') === 'mcp_tool_call' ? { result_bytes: contentBytes(listAt(rowAt(item, 'result'), 'content')) } : {};
};

/** The parent's mark, then a session for each agent that was started. */
const subagents = (state: Running, item: Row, now: number): CodexStep => {
  const agents = listAt(item, 'receiver_thread_ids').filter((id): id is string => typeof id === 'string');
  const mark = markItem(state.thread, now, { mark: 'subagent', summary: 'subagent' });
  const started = inSequence<CodexState, string>(
    state,
    agents,
    (next, id) => announce(next, { session_id: id, parent_session: state.thread, at: now }) ?? dropped(next, 'no_session'),
  );
  return { state: started.state, items: [mark, ...started.items] };
};

const turnCompleted = (state: Running, counts: Row, now: number): CodexStep => {
  const next = { ...state, model_calls: state.model_calls + 1 };
  return {
    state: next,
    items: [{ type: 'usage', session_id: state.thread, usage: usageOf(counts, next.model_calls) }, ...turnEnd(next, now, 'completed')],
  };
};

const turnFailed = (state: Running, message: string, now: number): CodexStep => {
  const failed = message === state.error ? { state, items: [] } : modelError(state, message, now);
  return { state: failed.state, items: [...failed.items, ...turnEnd(state, now, 'failed')] };
};

const turnEnd = ({ thread, said }: Running, now: number, subtype: 'completed' | 'failed'): readonly TraceItem[] => [
  markItem(thread, now, { mark: 'turn-end', summary: subtype }),
  {
    type: 'result',
    session_id: thread,
    result: { subtype, is_error: subtype === 'failed', ...(said === undefined ? {} : { text: said }) },
  },
];

const modelError = (state: Running, message: string, now: number): CodexStep => {
  const error_class = modelErrorClass(message);
  const mark = markItem(state.thread, now, { mark: 'error', error_class, summary: `model call failed: ${error_class}` });
  return { state: { ...state, error: message }, items: [mark] };
};

/** The client counts cached tokens as input too; model calls are not counted by it and told from the calls it shows. */
const usageOf = (counts: Row, model_calls: number): SessionUsage => {
  const cache_read = countAt(counts, 'cached_input_tokens') ?? 0;
  const cache_write = countAt(counts, 'cache_write_input_tokens') ?? 0;
  const input = Math.max(0, (countAt(counts, 'input_tokens') ?? 0) - cache_read - cache_write);
  return {
    models: [],
    tokens: { input, output: countAt(counts, 'output_tokens') ?? 0, cache_read, cache_write },
    model_calls,
    cost_source: 'unknown',
  };
};
