// The admission machine against a model: whatever fires, stops, ends, is dropped or resized, and in whatever order.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AdmissionEffect,
  type AdmissionEvent,
  type AdmissionState,
  emptyAdmission,
  OVERLAP_RULES,
  type OverlapRule,
  phaseOf,
  type Slots,
  stepAdmission,
} from '../../src/core/run/admission.js';

/** What a supervisor would know: who runs, who was told to end, whose firing is held back, and who waits in which order. */
interface Model {
  slots: Slots;
  readonly running: Set<string>;
  readonly stopping: Set<string>;
  readonly held: Set<string>;
  waiting: string[];
}

interface Machine {
  state: AdmissionState;
}

const NAMES = ['a', 'b', 'c', 'd', 'constructor', 'toString', 'sub/e'];
const GROUPS: Readonly<Record<string, string>> = { a: 'g', b: 'g', constructor: 'g', c: 'toString' };
const groupOf = (harness: string): string | undefined => (Object.hasOwn(GROUPS, harness) ? GROUPS[harness] : undefined);

const limitOf = ({ slots }: Model, group: string | undefined): number =>
  group !== undefined && Object.hasOwn(slots.groups, group) ? (slots.groups[group] ?? 0) : Number.POSITIVE_INFINITY;

const hasRoom = (model: Model, harness: string): boolean => {
  const group = groupOf(harness);
  const inGroup = [...model.running].filter((name) => groupOf(name) === group).length;
  return model.running.size < model.slots.all && (group === undefined || inGroup < limitOf(model, group));
};

/** Carries the effects out on the model; every effect must be one that the model can obey. */
const obey = (model: Model, effects: readonly AdmissionEffect[]): void => {
  for (const effect of effects) {
    const { harness } = effect;
    const isWaiting = model.waiting.includes(harness);
    switch (effect.type) {
      case 'start':
        expect(model.running.has(harness), `${harness} runs already`).toBe(false);
        expect(hasRoom(model, harness), `${harness} has a slot`).toBe(true);
        for (const earlier of isWaiting ? model.waiting.slice(0, model.waiting.indexOf(harness)) : [])
          expect(hasRoom(model, earlier), `${earlier} came before ${harness}`).toBe(false);
        model.waiting = model.waiting.filter((name) => name !== harness);
        model.running.add(harness);
        break;
      case 'wait':
        expect(isWaiting || model.running.has(harness) || hasRoom(model, harness)).toBe(false);
        model.waiting.push(harness);
        break;
      case 'hold':
        expect(model.running.has(harness) && !model.held.has(harness), 'one firing is held, and only while one runs').toBe(true);
        model.held.add(harness);
        break;
      case 'cancel':
        expect(isWaiting || model.held.has(harness), 'only what waits can be cancelled').toBe(true);
        model.waiting = model.waiting.filter((name) => name !== harness);
        model.held.delete(harness);
        break;
      case 'signal':
        expect(model.running.has(harness) && !model.stopping.has(harness), 'only a running one is told to end, once').toBe(true);
        model.stopping.add(harness);
        break;
      case 'skip':
        break;
    }
  }
};

const phaseIn = (model: Model, name: string): string | undefined => {
  if (model.stopping.has(name)) return 'stopping';
  if (model.running.has(name)) return 'running';
  return model.waiting.includes(name) ? 'waiting' : undefined;
};

const agree = (model: Model, { state }: Machine): void => {
  expect([...state.queue]).toEqual(model.waiting);
  expect([...state.held].sort()).toEqual([...model.held].sort());
  for (const name of NAMES) expect(phaseOf(state, name)).toBe(phaseIn(model, name));
  for (const name of model.waiting) expect(hasRoom(model, name), `a slot is free while ${name} waits`).toBe(false);
};

type Command = fc.Command<Model, Machine>;

const command = (
  event: AdmissionEvent,
  check: (model: Model) => boolean,
  before: (model: Model, effects: readonly AdmissionEffect[]) => void,
): Command => ({
  check,
  toString: () => JSON.stringify(event),
  run: (model, machine) => {
    const { state, effects } = stepAdmission(machine.state, event);
    machine.state = state;
    before(model, effects);
    obey(model, effects);
    agree(model, machine);
  },
});

const always = (): boolean => true;

/** The answer to a firing, by what its harness does. */
const answer = (model: Model, harness: string, overlap: OverlapRule): readonly string[] => {
  if (model.stopping.has(harness)) return ['skip stopping'];
  if (model.waiting.includes(harness)) return ['skip concurrency'];
  if (!model.running.has(harness)) return [hasRoom(model, harness) ? 'start' : 'wait'];
  if (overlap === 'skip' || model.held.has(harness)) return ['skip overlap'];
  return overlap === 'queue' ? ['hold'] : ['hold', 'signal replace'];
};

const said = (effect: AdmissionEffect): string => {
  if (effect.type === 'skip') return `skip ${effect.reason}`;
  return effect.type === 'signal' ? `signal ${effect.why}` : effect.type;
};

const fire = ([harness, overlap]: readonly [string, OverlapRule]): Command => {
  const group = groupOf(harness);
  const event: AdmissionEvent = { type: 'fire', harness, overlap, ...(group === undefined ? {} : { group }) };
  return command(event, always, (model, effects) => expect(effects.map(said)).toEqual(answer(model, harness, overlap)));
};

const stop = (harness: string): Command =>
  command({ type: 'stop', harness }, always, (model, effects) => {
    const waits = model.waiting.includes(harness) || model.held.has(harness);
    const runs = model.running.has(harness) && !model.stopping.has(harness);
    const own = effects.filter((effect) => effect.harness === harness).map(said);
    expect(own).toEqual([...(waits ? ['cancel'] : []), ...(runs ? ['signal stop'] : [])]);
  });

const drop = (harness: string): Command =>
  command({ type: 'drop', harness }, always, (model, effects) => {
    const waits = model.waiting.includes(harness) || model.held.has(harness);
    expect(effects.filter((effect) => effect.harness === harness).map(said)).toEqual(waits ? ['cancel'] : []);
  });

const ended = (harness: string): Command =>
  command(
    { type: 'ended', harness },
    (model) => model.running.has(harness),
    (model, effects) => {
      model.running.delete(harness);
      model.stopping.delete(harness);
      if (model.held.delete(harness)) model.waiting.push(harness);
      expect(effects.every(({ type }) => type === 'start')).toBe(true);
    },
  );

const resize = (to: Slots): Command =>
  command({ type: 'resize', slots: to }, always, (model) => {
    model.slots = to;
  });

const harness = fc.constantFrom(...NAMES);
const count = fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY);
const slots: fc.Arbitrary<Slots> = fc.record({
  all: count,
  groups: fc.dictionary(fc.constantFrom('g', 'toString', 'unused'), fc.constantFrom(1, 2)),
});
const firing = fc.tuple(harness, fc.constantFrom(...OVERLAP_RULES));

describe('admission', () => {
  test('never runs a harness twice nor more than its slots, lets nobody overtake, and answers every firing', () => {
    const kinds = [firing.map(fire), firing.map(fire), harness.map(stop), harness.map(drop), harness.map(ended), slots.map(resize)];
    fc.assert(
      fc.property(slots, fc.commands(kinds, { maxCommands: 60 }), (initial, all) => {
        fc.modelRun(
          () => ({
            model: { slots: initial, running: new Set<string>(), stopping: new Set<string>(), held: new Set<string>(), waiting: [] },
            real: { state: emptyAdmission(initial) },
          }),
          all,
        );
      }),
    );
  });

  test('ends idle when every run ends: each firing that waited was started or cancelled', () => {
    fc.assert(
      fc.property(slots, fc.array(fc.tuple(fc.constantFrom('fire', 'stop'), firing), { maxLength: 40 }), (initial, events) => {
        let state = emptyAdmission(initial);
        const pending = new Set<string>();
        const running = new Set<string>();
        const hear = (event: AdmissionEvent): void => {
          const step = stepAdmission(state, event);
          state = step.state;
          for (const effect of step.effects) {
            if (effect.type === 'wait' || effect.type === 'hold') pending.add(effect.harness);
            if (effect.type === 'start' || effect.type === 'cancel') pending.delete(effect.harness);
            if (effect.type === 'start') running.add(effect.harness);
          }
        };
        for (const [type, [name, overlap]] of events)
          hear(type === 'stop' ? { type, harness: name } : { type: 'fire', harness: name, overlap });
        for (let turns = 0; running.size > 0 && turns < 200; turns += 1) {
          const [first = ''] = running;
          running.delete(first);
          hear({ type: 'ended', harness: first });
        }
        expect([pending.size, running.size, state]).toEqual([0, 0, emptyAdmission(initial)]);
      }),
    );
  });
});
