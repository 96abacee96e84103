// Each directory of test/golden/briefing is a case: a snapshot of one instant, and the briefing composed of it.
import { describe, expect, test } from 'vitest';
import { type Briefing, composeBriefing } from '../../src/core/briefing/compose.js';
import { type BriefingSnapshot, briefingQuery } from '../../src/core/briefing/snapshot.js';
import { codePointLength, utf8Length } from '../../src/core/kernel/text.js';
import { goldenCases, written } from '../support/golden.js';
import { verifies } from '../support/verifies.js';

const cases = goldenCases('briefing');
const briefingOf = (name: string): Briefing => composeBriefing(cases.input<BriefingSnapshot>(name, 'snapshot.json'));

test.each(cases.names)('%s', (name) => {
  const { text, structured } = briefingOf(name);
  cases.hold(name, 'briefing.txt', text);
  cases.hold(name, 'structured.json', written({ query: briefingQuery(cases.input(name, 'snapshot.json')), ...structured }));
});

describe('of all cases', () => {
  verifies(
    ['SPEC-0030/REQ-14/sections-keep-their-order-and-bounds', 'SPEC-0030/REQ-14/s1', 'SPEC-0030/REQ-14/s2'],
    'a full one keeps order and bounds, and its facts section says how many were left out',
    () => {
      const snapshot = cases.input<BriefingSnapshot>('worked', 'snapshot.json');
      expect([snapshot.collisions.length, snapshot.recent_runs.length, snapshot.facts.length, snapshot.max_chars]).toEqual([
        3, 5, 20, 2_000,
      ]);
      const { text, structured } = composeBriefing(snapshot);
      expect(codePointLength(text)).toBeLessThanOrEqual(2_000);
      expect(text.match(/^section: [a-z_]+/gm)).toEqual([
        'section: collisions',
        'section: recent_runs',
        'section: facts',
        'section: episodes',
      ]);
      const shown = structured.sections.map(({ items }) => items.length);
      for (const count of shown) expect(count).toBeGreaterThan(0);
      const facts = text.slice(text.indexOf('section: facts'), text.indexOf('section: episodes'));
      expect(facts.trimEnd().split('\n').at(-1)).toBe(`dropped: ${20 - (shown[2] ?? 0)}; see recall`);
      for (const name of cases.names) {
        const { max_chars } = cases.input<BriefingSnapshot>(name, 'snapshot.json');
        expect(codePointLength(briefingOf(name).text)).toBeLessThanOrEqual(max_chars);
        expect(utf8Length(briefingOf(name).text)).toBeLessThanOrEqual(4_096);
      }
    },
  );

  test('a detached HEAD and a missing branch ask for no branch', () => {
    expect(briefingQuery(cases.input('detached-head', 'snapshot.json'))).toBe('acme api nightly');
    expect(briefingQuery(cases.input('worked', 'snapshot.json'))).toBe('acme api fix/flaky nightly');
  });
});
