// Reads what crush keeps of its sessions in its database: rows of sessions, messages and file versions, as often as they change
// (ADR-0033). Its session totals are cumulative, so what a run used is how much they grew (SPEC-0022 REQ-8).
import * as E from 'fp-ts/lib/Either.js';
import { attempt } from '../kernel/attempt.js';
import { codePointLength } from '../kernel/text.js';
import type { Instant } from '../kernel/time.js';
import type { TraceItem } from '../run/trace-event.js';
import { type CrushSpending, type CrushTotals, NOTHING_SPENT, spendingUsage, spendMore, totalsOf } from './crush-usage.js';
import { modelErrorClass } from './error-class.js';
import { contentBytes, countAt, isRow, isTrue, nameAt, type Row, rowAt, rowsAt, textAt } from './fields.js';
import {
  announce,
  closeCall,
  dropped,
  eventItem,
  inSequence,
  type MarkEvent,
  markItem,
  NO_SESSIONS,
  openCall,
  type SessionState,
  type Step,
  unfinishedCalls,
} from './session-state.js';
import { callEvent, keptTargets, readCall } from './tool-call.js';

/** Rows that changed since they were last read, in the order they were written. A message's `parts` are decoded JSON. */
export interface CrushRows {
  readonly sessions: readonly Row[];
  readonly messages: readonly Row[];
  readonly files: readonly Row[];
}

export interface CrushSetting {
  /** Where the client works: its database stands below. */
  readonly cwd: string;
  readonly verifyExtras: readonly string[];
  readonly started_at: Instant;
  /** Totals of sessions when they were last seen, in whatever run. */
  readonly before: (session: string) => CrushTotals | undefined;
}

export interface CrushState extends SessionState {
  readonly spending: ReadonlyMap<string, CrushSpending>;
  /** What was told of each message and file version, since a row is read again when it changes. */
  readonly told: ReadonlySet<string>;
  readonly edited: ReadonlySet<string>;
}

/** One step fills its own copies; what it was given stays as it was. */
type Filling = CrushState & { readonly told: Set<string>; readonly edited: Set<string> };
type CrushStep = Step<Filling>;

export const CRUSH_START: CrushState = { ...NO_SESSIONS, spending: new Map(), told: new Set(), edited: new Set() };

/** The oldest half is forgotten beyond this. */
const TOLD_MAX = 20_000;

const newer = (names: ReadonlySet<string>): ReadonlySet<string> =>
  names.size > TOLD_MAX ? new Set([...names].slice(-Math.floor(TOLD_MAX / 2))) : names;

export const stepCrush = (state: CrushState, rows: CrushRows, setting: CrushSetting): Step<CrushState> => {
  const own: Filling = { ...state, told: new Set(state.told), edited: new Set(state.edited) };
  const sessions = inSequence(own, rows.sessions, (next, row) => sessionRow(next, row, setting));
  const messages = inSequence(sessions.state, rows.messages, (next, row) => messageRow(next, row, setting));
  const files = inSequence(messages.state, rows.files, (next, row) => fileRow(next, row, setting));
  const usages = rows.sessions.flatMap((row) => usageItem(files.state, nameAt(row, 'id') ?? ''));
  const { told, edited } = files.state;
  return {
    state: { ...files.state, told: newer(told), edited: newer(edited) },
    items: [...sessions.items, ...messages.items, ...files.items, ...usages],
  };
};

export const finishCrush = (state: CrushState): readonly TraceItem[] => unfinishedCalls(state);

/** Seconds since the epoch, or milliseconds. */
export const crushInstant = (row: Row, key: string): Instant | undefined => {
  const value = countAt(row, key);
  return value === undefined ? undefined : value < SECONDS_BELOW ? value * 1_000 : value;
};

const SECONDS_BELOW = 100_000_000_000;

/** Rows name whole seconds, so one of the second in which the run began may be the run's. */
const isBefore = (at: Instant | undefined, startedAt: Instant): boolean => at !== undefined && at + 1_000 <= startedAt;

const sessionRow = (state: Filling, row: Row, { cwd, started_at, before }: CrushSetting): CrushStep => {
  const id = nameAt(row, 'id');
  if (id === undefined) return dropped(state, 'unknown_shape');
  const parent = nameAt(row, 'parent_session_id');
  const began = crushInstant(row, 'created_at');
  const at = Math.max(began ?? started_at, started_at);
  const first = announce(state, { session_id: id, ...(parent === undefined ? {} : { parent_session: parent }), cwd, at });
  if (first === undefined) return dropped(state, 'no_session');
  const isNew = !state.sessions.has(id);
  const totals = totalsOf(row);
  const from = state.spending.get(id) ?? NOTHING_SPENT(isBefore(began, started_at) ? (before(id) ?? totals) : undefined);
  const spending = new Map(state.spending).set(id, spendMore(from, totals));
  const mark = isNew && parent !== undefined ? [markItem(parent, at, { mark: 'subagent', summary: 'subagent' })] : [];
  return { state: { ...first.state, spending }, items: [...mark, ...first.items] };
};

const messageRow = (state: Filling, row: Row, setting: CrushSetting): CrushStep => {
  const id = nameAt(row, 'id');
  const session = nameAt(row, 'session_id') ?? '';
  const at = crushInstant(row, 'created_at');
  if (id === undefined || at === undefined || !Array.isArray(row['parts'])) return dropped(state, 'unknown_shape');
  if (!state.sessions.has(session)) return dropped(state, 'no_session');
  if (isBefore(at, setting.started_at)) return dropped(state, 'before_run');
  const message: Message = { id, session, at, row, setting };
  switch (textAt(row, 'role')) {
    case 'assistant':
      return assistant(state, message);
    case 'tool':
      return inSequence(state, partsOf(row, 'tool_result'), (next, part) => toolResult(next, message, part));
    case 'user':
      return once(state, `${id} user`, (next) => userMessage(next, message));
    default:
      return { state, items: [] };
  }
};

interface Message {
  readonly id: string;
  readonly session: string;
  readonly at: Instant;
  readonly row: Row;
  readonly setting: CrushSetting;
}

const partsOf = (row: Row, type: string): readonly Row[] =>
  rowsAt(row, 'parts')
    .filter((part) => textAt(part, 'type') === type)
    .map((part) => rowAt(part, 'data'));

/** A message of the model is written as it comes in: its calls as each is whole, its end when it has one. */
const assistant = (state: Filling, message: Message): CrushStep => {
  const calls = inSequence(
    state,
    partsOf(message.row, 'tool_call').filter((part) => isTrue(part, 'finished')),
    (next, part) => once(next, `${message.id} ${textAt(part, 'id') ?? ''}`, (open) => toolCall(open, message, part)),
  );
  const ends = inSequence(calls.state, partsOf(message.row, 'finish').slice(0, 1), (next, part) =>
    once(next, `${message.id} finish`, (open) => messageEnd(open, message, part)),
  );
  return { state: ends.state, items: [...calls.items, ...ends.items] };
};

const toolCall = (state: Filling, { session, at, row, setting }: Message, part: Row): CrushStep => {
  const id = nameAt(part, 'id');
  const tool = nameAt(part, 'name');
  if (id === undefined || tool === undefined) return dropped(state, 'unknown_shape');
  const model = nameAt(row, 'model');
  const reading = readCall(tool, inputOf(part), setting);
  if (reading.action === 'edit') for (const { path } of reading.targets) state.edited.add(`${session} ${path}`);
  return openCall(state, { id, session_id: session, tool, at, ...reading, ...(model === undefined ? {} : { model }) });
};

/** The arguments are JSON in a text. */
const inputOf = (part: Row): Row => {
  const text = textAt(part, 'input') ?? '';
  const decoded = attempt((): unknown => (text.length > INPUT_UNITS ? undefined : JSON.parse(text)));
  return E.isRight(decoded) && isRow(decoded.right) ? decoded.right : {};
};

/** Longer arguments are not looked into. */
const INPUT_UNITS = 4_194_304;

const toolResult = (state: Filling, { id }: Message, part: Row): CrushStep => {
  const call = textAt(part, 'tool_call_id') ?? '';
  return once(state, `${id} ${call}`, (next) =>
    closeCall(next, call, { is_error: isTrue(part, 'is_error'), result_bytes: contentBytes(textAt(part, 'content') ?? '') }),
  );
};

/** One answer of the model has ended. */
const messageEnd = (state: Filling, { session, at, row }: Message, part: Row): CrushStep => {
  const reason = textAt(part, 'reason') ?? '';
  const mark = (event: MarkEvent): TraceItem => markItem(session, at, event);
  if (reason === 'error') {
    const error_class = modelErrorClass(`${textAt(part, 'message') ?? ''} ${textAt(part, 'details') ?? ''}`);
    return { state, items: [mark({ mark: 'error', error_class, summary: `model call failed: ${error_class}` })] };
  }
  const model = nameAt(row, 'model');
  const provider = nameAt(row, 'provider');
  const before = state.spending.get(session) ?? NOTHING_SPENT(undefined);
  const served =
    model === undefined || before.served.some((each) => each.model === model)
      ? []
      : [{ model, ...(provider === undefined ? {} : { provider }) }];
  const after = { ...before, model_calls: before.model_calls + 1, served: [...before.served, ...served].slice(0, SERVED_MAX) };
  const ended = reason === 'tool_use' ? [] : [mark({ mark: 'turn-end', summary: reason === 'end_turn' ? 'completed' : 'stopped' })];
  const summed = countAt(row, 'is_summary_message') === 1 ? [mark({ mark: 'compaction', summary: 'compaction' })] : [];
  return { state: { ...state, spending: new Map(state.spending).set(session, after) }, items: [...summed, ...ended] };
};

/** A record names so many models at most. */
const SERVED_MAX = 16;

const userMessage = (state: Filling, { session, at, row }: Message): CrushStep => {
  const texts = partsOf(row, 'text').filter((part) => !isTrue(part, 'hidden'));
  const length = texts.reduce((sum, part) => sum + codePointLength(textAt(part, 'text') ?? ''), 0);
  return texts.length === 0
    ? { state, items: [] }
    : { state, items: [markItem(session, at, { mark: 'user-message', summary: `${length} characters` })] };
};

/** A further version of a file that no call is known to have edited: a tool that is not known did. */
const fileRow = (state: Filling, row: Row, { cwd, started_at }: CrushSetting): CrushStep => {
  const session = nameAt(row, 'session_id') ?? '';
  const path = textAt(row, 'path');
  const at = crushInstant(row, 'created_at');
  if (path === undefined || at === undefined || (countAt(row, 'version') ?? 0) < 1 || !state.sessions.has(session))
    return { state, items: [] };
  const [target] = keptTargets([{ path, touch: 'edit' }], cwd);
  if (target === undefined || isBefore(at, started_at) || state.edited.has(`${session} ${target.path}`)) return { state, items: [] };
  const call = { id: '', session_id: session, tool: 'file_version', action: 'edit', targets: [target], label: 'file_version', at } as const;
  state.edited.add(`${session} ${target.path}`);
  return { state, items: [eventItem(session, callEvent(call, { is_error: false }))] };
};

const usageItem = ({ spending }: CrushState, session: string): readonly TraceItem[] => {
  const spent = spending.get(session);
  return spent === undefined ? [] : [{ type: 'usage', session_id: session, usage: spendingUsage(spent) }];
};

const once = (state: Filling, name: string, step: (state: Filling) => CrushStep): CrushStep => {
  if (state.told.has(name)) return { state, items: [] };
  state.told.add(name);
  return step(state);
};
