// What a reader remembers between lines: the sessions it has announced and the calls whose results it waits for.
import type { SessionStart, TraceDrop, TraceEvent, TraceItem } from '../run/trace-event.js';
import { callEvent, type OpenCall } from './tool-call.js';

/** The oldest call is given up as unfinished when one more is opened. */
export const OPEN_CALLS_MAX = 256;
/** Lines of further sessions are dropped. */
export const SESSIONS_MAX = 256;

export interface SessionState {
  /** The session's parent, or undefined for one of its own, by session id. */
  readonly sessions: ReadonlyMap<string, string | undefined>;
  readonly calls: ReadonlyMap<string, OpenCall>;
}

export const NO_SESSIONS: SessionState = { sessions: new Map(), calls: new Map() };

export interface Step<State> {
  readonly state: State;
  readonly items: readonly TraceItem[];
}

/** Announces a session the first time; undefined when there are too many. */
export const announce = <S extends SessionState>(state: S, session: SessionStart): Step<S> | undefined => {
  if (state.sessions.has(session.session_id)) return { state, items: [] };
  if (state.sessions.size >= SESSIONS_MAX) return undefined;
  const sessions = new Map(state.sessions).set(session.session_id, session.parent_session);
  return { state: { ...state, sessions }, items: [{ type: 'session', session }] };
};

export const openCall = <S extends SessionState>(state: S, call: OpenCall): Step<S> => {
  const calls = new Map(state.calls);
  const oldest = calls.size >= OPEN_CALLS_MAX && !calls.has(call.id) ? calls.values().next().value : undefined;
  if (oldest !== undefined) calls.delete(oldest.id);
  calls.set(call.id, call);
  return { state: { ...state, calls }, items: oldest === undefined ? [] : [unfinished(oldest)] };
};

/** Ends the call of this id; a result nobody asked for says nothing. */
export const closeCall = <S extends SessionState>(state: S, id: string, end: { is_error: boolean; result_bytes?: number }): Step<S> => {
  const call = state.calls.get(id);
  if (call === undefined) return { state, items: [{ type: 'dropped', reason: 'unknown_shape' }] };
  const calls = new Map(state.calls);
  calls.delete(id);
  return { state: { ...state, calls }, items: [eventItem(call.session_id, callEvent(call, end))] };
};

/** The calls that were open when the lines ended, oldest first. */
export const unfinishedCalls = ({ calls }: SessionState): readonly TraceItem[] => [...calls.values()].map(unfinished);

const unfinished = (call: OpenCall): TraceItem => eventItem(call.session_id, callEvent(call, { is_error: false, unfinished: true }));

export const eventItem = (session_id: string, event: TraceEvent): TraceItem => ({ type: 'event', session_id, event });

export type MarkEvent = Pick<TraceEvent, 'mark' | 'summary'> & { readonly error_class?: string };

/** A mark; one of a failed model call carries its class. */
export const markItem = (session_id: string, at: number, { mark, summary, error_class }: MarkEvent): TraceItem =>
  eventItem(session_id, {
    at,
    kind: 'mark',
    ...(mark === undefined ? {} : { mark }),
    targets: [],
    is_error: mark === 'error',
    ...(error_class === undefined ? {} : { error_class }),
    summary,
  });

export const dropped = <S>(state: S, reason: TraceDrop): Step<S> => ({
  state,
  items: [{ type: 'dropped', reason }],
});

/** Runs steps one after another and gathers what they say. */
export const inSequence = <S, A>(state: S, values: readonly A[], step: (state: S, value: A) => Step<S>): Step<S> => {
  let current = state;
  const items: TraceItem[] = [];
  for (const value of values) {
    const next = step(current, value);
    current = next.state;
    items.push(...next.items);
  }
  return { state: current, items };
};
