// Which firing of a one-shot starts, waits, is held back or is skipped: never two processes of one harness, never more than
// there are slots (SPEC-0008, SPEC-0021 REQ-4, REQ-6). A state machine over all one-shots; the supervisor carries out its effects.

export type HarnessPhase = 'running' | 'stopping' | 'waiting';

/** What a firing does while its harness runs (SPEC-0008). */
export const OVERLAP_RULES = ['skip', 'queue', 'replace'] as const;
export type OverlapRule = (typeof OVERLAP_RULES)[number];

/** How many one-shots may run at once: all together, and of each quota group. No limit is Infinity. */
export interface Slots {
  readonly all: number;
  readonly groups: Readonly<Record<string, number>>;
}

interface Claim {
  readonly harness: string;
  readonly group?: string;
}

export interface AdmissionState {
  /** Harnesses that hold a slot or wait for one; a harness not listed is idle. */
  readonly phases: Readonly<Record<string, HarnessPhase>>;
  /** The quota group of each harness that is listed in `phases` and has one. */
  readonly groups: Readonly<Record<string, string>>;
  /** Harnesses waiting for a slot, first come first. */
  readonly queue: readonly string[];
  /** Harnesses with one firing held back until the run under way has ended. */
  readonly held: readonly string[];
  readonly slots: Slots;
}

export type AdmissionEvent =
  | { readonly type: 'fire'; readonly harness: string; readonly overlap: OverlapRule; readonly group?: string }
  | { readonly type: 'stop'; readonly harness: string }
  | { readonly type: 'ended'; readonly harness: string }
  /** Gives up what waits for the harness, and leaves its run alone. */
  | { readonly type: 'drop'; readonly harness: string }
  | { readonly type: 'resize'; readonly slots: Slots };

export type SkipReason = 'overlap' | 'stopping' | 'concurrency';

export type AdmissionEffect =
  | { readonly type: 'start'; readonly harness: string }
  /** For a slot. */
  | { readonly type: 'wait'; readonly harness: string }
  /** For the end of the harness's own run. */
  | { readonly type: 'hold'; readonly harness: string }
  | { readonly type: 'skip'; readonly harness: string; readonly reason: SkipReason }
  | { readonly type: 'signal'; readonly harness: string; readonly why: 'stop' | 'replace' }
  | { readonly type: 'cancel'; readonly harness: string };

export interface AdmissionStep {
  readonly state: AdmissionState;
  readonly effects: readonly AdmissionEffect[];
}

export const emptyAdmission = (slots: Slots): AdmissionState => ({ phases: {}, groups: {}, queue: [], held: [], slots });

export const stepAdmission = (state: AdmissionState, event: AdmissionEvent): AdmissionStep => {
  switch (event.type) {
    case 'fire':
      return fire(state, event, event.overlap);
    case 'stop':
      return stop(state, event.harness);
    case 'ended':
      return end(state, event.harness);
    case 'drop':
      return drop(state, event.harness);
    case 'resize':
      return grant({ ...state, slots: event.slots });
  }
};

/** What a harness is doing; undefined when it is idle. A harness may be called `constructor`. */
export const phaseOf = ({ phases }: AdmissionState, harness: string): HarnessPhase | undefined =>
  Object.hasOwn(phases, harness) ? phases[harness] : undefined;

const fire = (state: AdmissionState, claim: Claim, overlap: OverlapRule): AdmissionStep => {
  const { harness } = claim;
  switch (phaseOf(state, harness)) {
    case 'stopping':
      return { state, effects: [{ type: 'skip', harness, reason: 'stopping' }] };
    case 'waiting':
      return { state, effects: [{ type: 'skip', harness, reason: 'concurrency' }] };
    case 'running':
      return overlapRun(state, harness, overlap);
    case undefined:
      return enter(state, claim);
  }
};

const overlapRun = (state: AdmissionState, harness: string, overlap: OverlapRule): AdmissionStep => {
  if (overlap === 'skip' || state.held.includes(harness)) return { state, effects: [{ type: 'skip', harness, reason: 'overlap' }] };
  const holding = { ...state, held: [...state.held, harness] };
  if (overlap === 'queue') return { state: holding, effects: [{ type: 'hold', harness }] };
  return {
    state: setPhase(holding, { harness }, 'stopping'),
    effects: [
      { type: 'hold', harness },
      { type: 'signal', harness, why: 'replace' },
    ],
  };
};

/** Takes a slot, or a place in the queue. */
const enter = (state: AdmissionState, claim: Claim): AdmissionStep => {
  const { harness } = claim;
  if (hasRoom(state, claim.group)) return { state: setPhase(state, claim, 'running'), effects: [{ type: 'start', harness }] };
  return { state: setPhase({ ...state, queue: [...state.queue, harness] }, claim, 'waiting'), effects: [{ type: 'wait', harness }] };
};

const drop = (state: AdmissionState, harness: string): AdmissionStep => {
  const cancel: readonly AdmissionEffect[] = [{ type: 'cancel', harness }];
  if (phaseOf(state, harness) === 'waiting') return grant(forget(state, harness), cancel);
  if (!state.held.includes(harness)) return { state, effects: [] };
  return { state: { ...state, held: state.held.filter((name) => name !== harness) }, effects: cancel };
};

const stop = (state: AdmissionState, harness: string): AdmissionStep => {
  const dropped = drop(state, harness);
  if (phaseOf(dropped.state, harness) !== 'running') return dropped;
  const stopping = setPhase(dropped.state, { harness }, 'stopping');
  return { state: stopping, effects: [...dropped.effects, { type: 'signal', harness, why: 'stop' }] };
};

/** A firing held back for this harness takes its turn behind those that wait for a slot already. */
const end = (state: AdmissionState, harness: string): AdmissionStep => {
  const group = groupOf(state, harness);
  const freed = forget(state, harness);
  if (!state.held.includes(harness)) return grant(freed);
  const claim = { harness, ...(group === undefined ? {} : { group }) };
  return grant(setPhase({ ...freed, queue: [...freed.queue, harness] }, claim, 'waiting'));
};

/** The first waiter for whom there is room starts; one whose group is full does not keep others out. */
const grant = (state: AdmissionState, before: readonly AdmissionEffect[] = []): AdmissionStep => {
  const effects = [...before];
  let next = state;
  for (const harness of state.queue) {
    const group = groupOf(next, harness);
    if (!hasRoom(next, group)) continue;
    const queue = next.queue.filter((name) => name !== harness);
    next = setPhase({ ...next, queue }, { harness, ...(group === undefined ? {} : { group }) }, 'running');
    effects.push({ type: 'start', harness });
  }
  return { state: next, effects };
};

const hasRoom = (state: AdmissionState, group: string | undefined): boolean => {
  const busy = Object.keys(state.phases).filter((name) => state.phases[name] !== 'waiting');
  if (busy.length >= state.slots.all) return false;
  const limit = group !== undefined && Object.hasOwn(state.slots.groups, group) ? state.slots.groups[group] : undefined;
  return limit === undefined || busy.filter((name) => groupOf(state, name) === group).length < limit;
};

const groupOf = ({ groups }: AdmissionState, harness: string): string | undefined =>
  Object.hasOwn(groups, harness) ? groups[harness] : undefined;

const setPhase = (state: AdmissionState, { harness, group }: Claim, phase: HarnessPhase): AdmissionState => ({
  ...state,
  phases: { ...state.phases, [harness]: phase },
  groups: group === undefined ? state.groups : { ...state.groups, [harness]: group },
});

const forget = (state: AdmissionState, harness: string): AdmissionState => ({
  ...state,
  phases: without(state.phases, harness),
  groups: without(state.groups, harness),
  queue: state.queue.filter((name) => name !== harness),
  held: state.held.filter((name) => name !== harness),
});

const without = <A>(table: Readonly<Record<string, A>>, harness: string): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(table).filter(([name]) => name !== harness));
