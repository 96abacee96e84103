// Laws of the pass that makes missing vectors.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DIMENSION_WITNESSES,
  FILL_START,
  FIRST_WAIT,
  type FillEvent,
  IDLE_WAIT,
  LONGEST_WAIT,
  stepFilling,
} from '../../src/core/provider/gap-filling.js';

const event = fc.oneof(
  fc.constantFrom<FillEvent>({ type: 'filled' }, { type: 'nothing_missing' }, { type: 'failed' }),
  fc.constantFrom(17, 18).map((to): FillEvent => ({ type: 'dimension_changed', to })),
);

test('it goes on at once after a batch, waits longer after each failure, and never longer than its bound', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let state = FILL_START;
      let last = 0;
      for (const each of events) {
        const step = stepFilling(state, each);
        if (each.type === 'filled') expect(step.wait).toBe(0);
        if (each.type === 'nothing_missing') expect(step.wait).toBe(IDLE_WAIT);
        if (each.type === 'failed') {
          expect(step.wait).toBeGreaterThanOrEqual(FIRST_WAIT);
          expect(step.wait).toBeLessThanOrEqual(LONGEST_WAIT);
          if (state.failures > 0) expect(step.wait).toBeGreaterThanOrEqual(last);
          last = step.wait;
        } else last = 0;
        state = step.state;
      }
    }),
  );
});

test('a dimension is believed exactly when as many answers in a row had it', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let state = FILL_START;
      let row: number[] = [];
      for (const each of events) {
        const step = stepFilling(state, each);
        row = each.type === 'dimension_changed' ? [...row.filter((to) => to === each.to), each.to] : [];
        expect(step.adopt).toBe(row.length >= DIMENSION_WITNESSES ? row[0] : undefined);
        if (step.adopt !== undefined) row = [];
        state = step.state;
      }
    }),
  );
});
