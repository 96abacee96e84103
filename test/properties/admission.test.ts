// The admission machine against a model: whatever fires, stops, ends or resizes, and in whatever order.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AdmissionEffect, type AdmissionState, emptyAdmission, phaseOf, stepAdmission } from '../../src/core/run/admission.js';

/** What a supervisor would know: who runs, who was told to end, who waits in which order, and who was never answered. */
interface Model {
  slots: number;
  readonly running: Set<string>;
  readonly stopping: Set<string>;
  waiting: string[];
}

interface Machine {
  state: AdmissionState;
}

/** Carries the effects out on the model; every effect must be one that the model can obey. */
const obey = (model: Model, effects: readonly AdmissionEffect[]): void => {
  for (const { type, harness } of effects) {
    const isWaiting = model.waiting.includes(harness);
    switch (type) {
      case 'start':
        expect(model.running.has(harness), `${harness} runs already`).toBe(false);
        if (isWaiting) expect(model.waiting[0], 'first come, first started').toBe(harness);
        model.waiting = model.waiting.filter((name) => name !== harness);
        model.running.add(harness);
        expect(model.running.size, 'runs at once').toBeLessThanOrEqual(model.slots);
        break;
      case 'wait':
        expect(isWaiting || model.running.has(harness)).toBe(false);
        expect(model.running.size, 'nobody waits beside a free slot').toBeGreaterThanOrEqual(model.slots);
        model.waiting.push(harness);
        break;
      case 'cancel':
        expect(isWaiting, 'only a waiting firing can be cancelled').toBe(true);
        model.waiting = model.waiting.filter((name) => name !== harness);
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

const agree = (model: Model, { state }: Machine): void => {
  expect([...state.queue]).toEqual(model.waiting);
  for (const name of [...model.running, ...model.waiting, ...NAMES]) {
    const phase = model.stopping.has(name)
      ? 'stopping'
      : model.running.has(name)
        ? 'running'
        : model.waiting.includes(name)
          ? 'waiting'
          : undefined;
    expect(phaseOf(state, name)).toBe(phase);
  }
  if (model.waiting.length > 0) expect(model.running.size, 'a slot is free while one waits').toBeGreaterThanOrEqual(model.slots);
};

const NAMES = ['a', 'b', 'c', 'd', 'constructor', 'toString', 'sub/e'];
type Command = fc.Command<Model, Machine>;

const fire = (harness: string): Command => ({
  check: () => true,
  toString: () => `fire ${harness}`,
  run: (model, machine) => {
    const busy = model.stopping.has(harness)
      ? 'stopping'
      : model.running.has(harness)
        ? 'overlap'
        : model.waiting.includes(harness)
          ? 'concurrency'
          : undefined;
    const { state, effects } = stepAdmission(machine.state, { type: 'fire', harness });
    machine.state = state;
    expect(effects, 'a fire has one answer').toHaveLength(1);
    expect(effects[0]).toMatchObject(busy === undefined ? { harness } : { type: 'skip', harness, reason: busy });
    if (busy === undefined) expect(effects[0]?.type).toBe(model.running.size < model.slots ? 'start' : 'wait');
    obey(model, effects);
    agree(model, machine);
  },
});

const stop = (harness: string): Command => ({
  check: () => true,
  toString: () => `stop ${harness}`,
  run: (model, machine) => {
    const expected = model.waiting.includes(harness)
      ? 'cancel'
      : model.running.has(harness) && !model.stopping.has(harness)
        ? 'signal'
        : undefined;
    const { state, effects } = stepAdmission(machine.state, { type: 'stop', harness });
    machine.state = state;
    expect(effects.map(({ type }) => type)).toEqual(expected === undefined ? [] : [expected]);
    obey(model, effects);
    agree(model, machine);
  },
});

const ended = (harness: string): Command => ({
  check: (model) => model.running.has(harness),
  toString: () => `ended ${harness}`,
  run: (model, machine) => {
    model.running.delete(harness);
    model.stopping.delete(harness);
    const { state, effects } = stepAdmission(machine.state, { type: 'ended', harness });
    machine.state = state;
    expect(effects.every(({ type }) => type === 'start')).toBe(true);
    obey(model, effects);
    agree(model, machine);
  },
});

const resize = (slots: number): Command => ({
  check: () => true,
  toString: () => `resize ${slots}`,
  run: (model, machine) => {
    model.slots = slots;
    const { state, effects } = stepAdmission(machine.state, { type: 'resize', slots });
    machine.state = state;
    obey(model, effects);
    agree(model, machine);
  },
});

const harness = fc.constantFrom(...NAMES);
const slots = fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY);

describe('admission', () => {
  test('never runs a harness twice nor more than its slots, lets nobody overtake, and answers every firing exactly once', () => {
    const commands = fc.commands([harness.map(fire), harness.map(fire), harness.map(stop), harness.map(ended), slots.map(resize)], {
      maxCommands: 60,
    });
    fc.assert(
      fc.property(slots, commands, (initial, all) => {
        fc.modelRun(
          () => ({
            model: { slots: initial, running: new Set<string>(), stopping: new Set<string>(), waiting: [] },
            real: { state: emptyAdmission(initial) },
          }),
          all,
        );
      }),
    );
  });

  test('ends idle when every run ends: each firing that waited was started or cancelled', () => {
    fc.assert(
      fc.property(slots, fc.array(fc.tuple(fc.constantFrom('fire', 'stop'), harness), { maxLength: 40 }), (initial, events) => {
        let state = emptyAdmission(initial);
        const pending = new Set<string>();
        const running = new Set<string>();
        const hear = (event: Parameters<typeof stepAdmission>[1]): void => {
          const step = stepAdmission(state, event);
          state = step.state;
          for (const effect of step.effects) {
            if (effect.type === 'wait') pending.add(effect.harness);
            if (effect.type === 'start' || effect.type === 'cancel') pending.delete(effect.harness);
            if (effect.type === 'start') running.add(effect.harness);
          }
        };
        for (const [type, name] of events) hear({ type: type as 'fire' | 'stop', harness: name });
        for (let turns = 0; running.size > 0 && turns < 100; turns += 1) {
          const [first = ''] = running;
          running.delete(first);
          hear({ type: 'ended', harness: first });
        }
        expect([pending.size, running.size, state]).toEqual([0, 0, emptyAdmission(initial)]);
      }),
    );
  });
});
