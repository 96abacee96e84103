// Who may start: never two processes of one harness, never more one-shots than slots (SPEC-0008, SPEC-0021 REQ-4, REQ-6).
// A state machine over all harnesses; its effects are carried out by the supervisor.

export type HarnessPhase = 'running' | 'stopping' | 'waiting';

export interface AdmissionState {
  /** Harnesses that hold a slot or wait for one; a harness not listed is idle. */
  readonly phases: Readonly<Record<string, HarnessPhase>>;
  /** Harnesses waiting for a slot, first come first. */
  readonly queue: readonly string[];
  readonly slots: number;
}

export type AdmissionEvent =
  | { readonly type: 'fire'; readonly harness: string }
  | { readonly type: 'stop'; readonly harness: string }
  | { readonly type: 'ended'; readonly harness: string }
  | { readonly type: 'resize'; readonly slots: number };

export type AdmissionEffect =
  | { readonly type: 'start'; readonly harness: string }
  | { readonly type: 'wait'; readonly harness: string }
  | { readonly type: 'skip'; readonly harness: string; readonly reason: 'overlap' | 'stopping' | 'concurrency' }
  | { readonly type: 'signal'; readonly harness: string }
  | { readonly type: 'cancel'; readonly harness: string };

export interface AdmissionStep {
  readonly state: AdmissionState;
  readonly effects: readonly AdmissionEffect[];
}

/** No limit on slots is Infinity. */
export const emptyAdmission = (slots: number): AdmissionState => ({ phases: {}, queue: [], slots });

export const stepAdmission = (state: AdmissionState, event: AdmissionEvent): AdmissionStep => {
  switch (event.type) {
    case 'fire':
      return fire(state, event.harness);
    case 'stop':
      return stop(state, event.harness);
    case 'ended':
      return grant(forget(state, event.harness));
    case 'resize':
      return grant({ ...state, slots: event.slots });
  }
};

/** What a harness is doing; undefined when it is idle. A harness may be called `constructor`. */
export const phaseOf = ({ phases }: AdmissionState, harness: string): HarnessPhase | undefined =>
  Object.hasOwn(phases, harness) ? phases[harness] : undefined;

const fire = (state: AdmissionState, harness: string): AdmissionStep => {
  const phase = phaseOf(state, harness);
  if (phase === 'stopping') return { state, effects: [{ type: 'skip', harness, reason: 'stopping' }] };
  if (phase === 'running') return { state, effects: [{ type: 'skip', harness, reason: 'overlap' }] };
  if (phase === 'waiting') return { state, effects: [{ type: 'skip', harness, reason: 'concurrency' }] };
  if (used(state) < state.slots) return { state: setPhase(state, harness, 'running'), effects: [{ type: 'start', harness }] };
  const waiting = setPhase({ ...state, queue: [...state.queue, harness] }, harness, 'waiting');
  return { state: waiting, effects: [{ type: 'wait', harness }] };
};

const stop = (state: AdmissionState, harness: string): AdmissionStep => {
  const phase = phaseOf(state, harness);
  if (phase === 'waiting') return { state: forget(state, harness), effects: [{ type: 'cancel', harness }] };
  if (phase === 'running') return { state: setPhase(state, harness, 'stopping'), effects: [{ type: 'signal', harness }] };
  return { state, effects: [] };
};

const grant = (state: AdmissionState): AdmissionStep => {
  const effects: AdmissionEffect[] = [];
  let next = state;
  for (let head = next.queue[0]; head !== undefined && used(next) < next.slots; head = next.queue[0]) {
    next = setPhase({ ...next, queue: next.queue.slice(1) }, head, 'running');
    effects.push({ type: 'start', harness: head });
  }
  return { state: next, effects };
};

const used = (state: AdmissionState): number => Object.values(state.phases).filter((phase) => phase !== 'waiting').length;

const setPhase = (state: AdmissionState, harness: string, phase: HarnessPhase): AdmissionState => ({
  ...state,
  phases: { ...state.phases, [harness]: phase },
});

const forget = (state: AdmissionState, harness: string): AdmissionState => ({
  ...state,
  phases: Object.fromEntries(Object.entries(state.phases).filter(([name]) => name !== harness)),
  queue: state.queue.filter((name) => name !== harness),
});
