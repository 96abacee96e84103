// Reads what Claude Code prints (stream-json) and keeps (transcript rows): both hold the same messages under slightly different keys.
// A failure is read from is_error, never from the subtype, which says "success" even then (ADR-0033).
import { codePointLength } from '../kernel/text.js';
import { parseInstant } from '../kernel/time.js';
import type { SessionResult, SessionUsage, TraceItem, TranscriptReader } from '../run/trace-event.js';
import { usageSince } from '../run/usage.js';
import { addMessage, costOf, finalUsage, type MessageTotals, NO_MESSAGES, partialUsage } from './claude-usage.js';
import { modelErrorClass } from './error-class.js';
import { contentBytes, countAt, isRow, isTrue, nameAt, type Row, rowAt, rowsAt, textAt } from './fields.js';
import {
  announce,
  closeCall,
  dropped,
  inSequence,
  type MarkEvent,
  markItem,
  NO_SESSIONS,
  openCall,
  type SessionState,
  type Step,
  unfinishedCalls,
} from './session-state.js';
import { readCall, shortLabel } from './tool-call.js';

export interface ClaudeState extends SessionState {
  /** The session that is no sub-agent's, and where it works. */
  readonly main?: string;
  readonly cwd?: string;
  readonly totals: MessageTotals;
  /** The last message counted, by session: one message is printed as several lines. */
  readonly counted: ReadonlyMap<string, string>;
  /** The client has given its own totals. */
  readonly settled: boolean;
  /** Its totals before the run, where it went on with a session of an earlier one. */
  readonly before?: SessionUsage;
}

type ClaudeStep = Step<ClaudeState>;

const START: ClaudeState = { ...NO_SESSIONS, totals: NO_MESSAGES, counted: new Map(), settled: false };

/** The client's own words in the model's place: an error, or the answer to a command. */
const SYNTHETIC_MODEL = '<synthetic>';

/** Rows that are known to say nothing of what a run did. */
const SKIPPED = new Set(
  `stream_event rate_limit_event control_request control_response control_cancel_request keep_alive tool_progress tool_use_summary
  auth_status prompt_suggestion queue-operation attachment api-request api-request-shape api-request-blob prompt_snapshot tools-used
  atis-latch last-prompt summary progress file-history-snapshot file-history-delta ai-title custom-title agent-name mode permission-mode pr-link`.split(
    /\s+/,
  ),
);

/** `verifyExtras` are an operator's own verify patterns. */
export const claudeCodeReader = (verifyExtras: readonly string[] = []): TranscriptReader<ClaudeState> => ({
  initial: START,
  skip: (state, line) =>
    isRow(line) && textAt(line, 'type') === 'cost-state' ? { ...state, before: totalsOf({ ...state, totals: NO_MESSAGES }, line) } : state,
  step: (state, line, now) => {
    if (!isRow(line)) return dropped(state, 'not_json');
    if (textAt(line, 'harness') === 'line_dropped') return dropped(state, 'line_too_long');
    const type = textAt(line, 'type');
    if (type === undefined || !KNOWN.has(type))
      return type !== undefined && SKIPPED.has(type) ? quiet(state) : dropped(state, 'unknown_shape');
    const session = sessionOf(state, line);
    if (session === undefined) return dropped(state, 'no_session');
    const at = parseInstant(textAt(line, 'timestamp') ?? '') ?? now;
    return stepRow(state, line, { type, session, at, verifyExtras });
  },
  finish: (state) => [
    ...unfinishedCalls(state),
    ...(state.main === undefined || state.settled || state.totals.model_calls === 0
      ? []
      : [{ type: 'usage', session_id: state.main, usage: partialUsage(state.totals) } satisfies TraceItem]),
  ],
});

const KNOWN = new Set(['assistant', 'user', 'system', 'result', 'cost-state']);

interface RowPlace {
  readonly type: string;
  readonly session: LineSession;
  readonly at: number;
  readonly verifyExtras: readonly string[];
}

interface LineSession {
  readonly id: string;
  readonly parent?: string;
}

/** A sub-agent's lines name the session they belong to and the agent; the agent is a session of its own. */
const sessionOf = (state: ClaudeState, row: Row): LineSession | undefined => {
  const session = nameAt(row, 'session_id') ?? nameAt(row, 'sessionId');
  if (session === undefined) return undefined;
  const caller = nameAt(row, 'parent_tool_use_id');
  const agent = nameAt(row, 'agent_id') ?? nameAt(row, 'agentId') ?? caller;
  if (agent === undefined) return { id: session };
  return { id: agent, parent: state.sessions.get(agent) ?? (caller && state.calls.get(caller)?.session_id) ?? session };
};

const stepRow = (state: ClaudeState, row: Row, place: RowPlace): ClaudeStep => {
  switch (place.type) {
    case 'assistant':
      return announced(state, row, place, (next) => assistant(next, row, place));
    case 'user':
      return announced(state, row, place, (next) => user(next, row, place));
    case 'system':
      return system(state, row, place);
    default:
      return announced(state, row, place, (next) => settle(next, row, place));
  }
};

/** Runs a step of a session that is announced first, where it is new. */
const announced = (state: ClaudeState, row: Row, { session, at }: RowPlace, step: (state: ClaudeState) => ClaudeStep): ClaudeStep => {
  const said = textAt(row, 'cwd');
  const cwd = said ?? state.cwd;
  const model = nameAt(row, 'model');
  const first = announce(state, {
    session_id: session.id,
    ...(session.parent === undefined ? {} : { parent_session: session.parent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === undefined ? {} : { model }),
    at,
  });
  if (first === undefined) return dropped(state, 'no_session');
  const own = session.parent === undefined && first.state.main === undefined ? { main: session.id } : {};
  const known = state.cwd ?? said;
  const next = step({ ...first.state, ...own, ...(known === undefined ? {} : { cwd: known }) });
  return { state: next.state, items: [...sidechainMark(state, row, session, at), ...first.items, ...next.items] };
};

/** A transcript has no row for the start of a sub-agent; a stream tells it by itself. */
const sidechainMark = (state: ClaudeState, row: Row, { id, parent }: LineSession, at: number): readonly TraceItem[] =>
  parent === undefined || state.sessions.has(id) || !isTrue(row, 'isSidechain')
    ? []
    : [markItem(parent, at, { mark: 'subagent', summary: 'subagent' })];

const assistant = (state: ClaudeState, row: Row, { session, at, verifyExtras }: RowPlace): ClaudeStep => {
  const message = rowAt(row, 'message');
  if (nameAt(message, 'model') === undefined) return dropped(state, 'unknown_shape');
  if (isTrue(row, 'is_api_error_message') || isTrue(row, 'isApiErrorMessage')) {
    const said = rowsAt(message, 'content').map((block) => textAt(block, 'text') ?? '');
    return withMark(state, session, at, modelError(row, said.join(' ')));
  }
  const model = nameAt(message, 'model');
  if (model === SYNTHETIC_MODEL) return quiet(state);
  const calls = rowsAt(message, 'content').filter((block) => textAt(block, 'type') === 'tool_use');
  return inSequence(counting(state, session.id, message), calls, (next, block) => {
    const id = nameAt(block, 'id');
    const tool = nameAt(block, 'name');
    if (id === undefined || tool === undefined) return dropped(next, 'unknown_shape');
    const reading = readCall(tool, rowAt(block, 'input'), { ...(next.cwd === undefined ? {} : { cwd: next.cwd }), verifyExtras });
    return openCall(next, { id, session_id: session.id, tool, at, ...reading, ...(model === undefined ? {} : { model }) });
  });
};

const counting = (state: ClaudeState, session: string, message: Row): ClaudeState => {
  const id = nameAt(message, 'id');
  if (id !== undefined && state.counted.get(session) === id) return state;
  const counted = id === undefined ? state.counted : new Map(state.counted).set(session, id);
  return { ...state, counted, totals: addMessage(state.totals, message) };
};

const user = (state: ClaudeState, row: Row, { session, at }: RowPlace): ClaudeStep => {
  const content = rowAt(row, 'message')['content'];
  if (content === undefined) return dropped(state, 'unknown_shape');
  const blocks = Array.isArray(content) ? content.filter(isRow) : [];
  const results = blocks.filter((block) => textAt(block, 'type') === 'tool_result');
  const ended = inSequence(state, results, (next, block) =>
    closeCall(next, textAt(block, 'tool_use_id') ?? '', {
      is_error: isTrue(block, 'is_error'),
      result_bytes: contentBytes(block['content']),
    }),
  );
  const typed = typeof content === 'string' ? [content] : blocks.flatMap((block) => textAt(block, 'text') ?? []);
  if (typed.length === 0 || ['isSynthetic', 'isMeta', 'isCompactSummary'].some((flag) => isTrue(row, flag))) return ended;
  const length = typed.reduce((sum, text) => sum + codePointLength(text), 0);
  const mark = withMark(ended.state, session, at, { mark: 'user-message', summary: `${length} characters` });
  return { state: mark.state, items: [...ended.items, ...mark.items] };
};

const system = (state: ClaudeState, row: Row, place: RowPlace): ClaudeStep => {
  const mark = (event: MarkEvent): ClaudeStep => announced(state, row, place, (next) => withMark(next, place.session, place.at, event));
  switch (textAt(row, 'subtype')) {
    case 'init':
      return announced(state, row, place, quiet);
    case 'compact_boundary':
      return mark({ mark: 'compaction', summary: 'compaction' });
    case 'api_retry':
    case 'api_error':
      return mark(modelError(row, ''));
    case 'task_started':
      return textAt(row, 'task_type') === 'local_agent' ? subagent(state, row, place) : quiet(state);
    default:
      return quiet(state);
  }
};

/** The parent's mark, then the sub-agent's session. */
const subagent = (state: ClaudeState, row: Row, place: RowPlace): ClaudeStep => {
  const agent = nameAt(row, 'task_id');
  if (agent === undefined) return dropped(state, 'unknown_shape');
  const caller = nameAt(row, 'tool_use_id');
  const parent = (caller && state.calls.get(caller)?.session_id) ?? place.session.id;
  const marked = announced(state, row, place, (next) =>
    withMark(next, { id: parent }, place.at, { mark: 'subagent', summary: 'subagent' }),
  );
  const child = announced(marked.state, {}, { ...place, session: { id: agent, parent } }, quiet);
  return { state: child.state, items: [...marked.items, ...child.items] };
};

/** The client's totals: the result line of a stream, or the last row of a transcript, which knows no result. */
const settle = (state: ClaudeState, row: Row, { type, session, at }: RowPlace): ClaudeStep => {
  const usage = usageSince(totalsOf(state, row), state.before);
  const items: TraceItem[] = [{ type: 'usage', session_id: session.id, usage }];
  if (type === 'result') {
    const result = resultOf(row);
    items.push(markItem(session.id, at, { mark: 'turn-end', summary: shortLabel(result.subtype) }));
    items.push({ type: 'result', session_id: session.id, result });
  }
  return { state: { ...state, settled: true }, items };
};

const totalsOf = ({ totals }: ClaudeState, row: Row): SessionUsage =>
  finalUsage(totals, rowAt(row, 'modelUsage'), rowAt(row, 'usage'), costOf(row));

const resultOf = (row: Row): SessionResult => {
  const turns = countAt(row, 'num_turns');
  const duration_ms = countAt(row, 'duration_ms');
  const text = textAt(row, 'result');
  return {
    subtype: nameAt(row, 'subtype') ?? 'unknown',
    is_error: isTrue(row, 'is_error'),
    ...(turns === undefined ? {} : { turns }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(text === undefined ? {} : { text }),
  };
};

const modelError = (row: Row, said: string): MarkEvent => {
  const error = rowAt(row, 'error');
  const status =
    countAt(row, 'api_error_status') ?? countAt(row, 'apiErrorStatus') ?? countAt(row, 'error_status') ?? countAt(error, 'status');
  const error_class = modelErrorClass(`${textAt(row, 'error') ?? textAt(error, 'message') ?? ''} ${said}`, status);
  return { mark: 'error', error_class, summary: `model call failed: ${error_class}${status === undefined ? '' : ` (${status})`}` };
};

const withMark = (state: ClaudeState, session: LineSession, at: number, mark: MarkEvent): ClaudeStep => ({
  state,
  items: [markItem(session.id, at, mark)],
});

const quiet = (state: ClaudeState): ClaudeStep => ({ state, items: [] });
