// Laws of briefings and recall documents: caps hold, order holds, the provider changes nothing before its own section.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeBriefing } from '../../src/core/briefing/compose.js';
import { ITEMS_MAX, type SHARES } from '../../src/core/briefing/pack.js';
import { codePointLength, utf8Length } from '../../src/core/kernel/text.js';
import { composeRecall, RECALL_BYTES } from '../../src/core/recall/compose.js';
import { PREAMBLE } from '../../src/core/untrusted/data-wrapper.js';
import { item, snapshot } from '../support/arbitraries.js';
import { verifies } from '../support/verifies.js';

const RUNS = { numRuns: Math.max(300, fc.readConfigureGlobal().numRuns ?? 0) };

describe('a briefing', () => {
  verifies(['SPEC-0030/REQ-14/s2'], 'never exceeds its cap in characters or 4096 bytes', () => {
    fc.assert(
      fc.property(snapshot, (given) => {
        const briefing = composeBriefing(given);
        expect(codePointLength(briefing.text)).toBeLessThanOrEqual(given.max_chars);
        expect(utf8Length(briefing.text)).toBeLessThanOrEqual(4_096);
      }),
      RUNS,
    );
  });

  verifies(['SPEC-0030/REQ-14/n1'], 'keeps sections in order, items within their number and share, and counts what it left out', () => {
    fc.assert(
      fc.property(snapshot, (given) => {
        const { structured, text } = composeBriefing(given);
        const names = structured.sections.map((section) => section.name);
        expect(names).toEqual(names.length === 0 ? [] : ['collisions', 'recent_runs', 'facts', 'episodes']);
        for (const section of structured.sections) {
          const name = section.name as keyof typeof SHARES;
          expect(section.items.length).toBeLessThanOrEqual(ITEMS_MAX[name]);
          if (section.dropped > 0) expect(text).toContain(`dropped: ${section.dropped}; see recall`);
        }
        const all = given.facts.length - (structured.sections[2]?.items.length ?? 0);
        if (structured.sections.length > 0) expect(structured.sections[2]?.dropped).toBe(all);
      }),
      RUNS,
    );
  });

  test('has the same first three sections whether the provider answered or not', () => {
    const head = (text: string): string => text.split('\nsection: episodes')[0]?.split('\nomitted:')[0] ?? '';
    const withoutDefaults = (text: string): string => text.replace(/\n?defaults: .*/, '').trimEnd();
    fc.assert(
      fc.property(snapshot, (given) => {
        const down = { ...given, episodes: { provider: 'builtin', items: [], degraded: 'provider_unavailable' as const } };
        expect(withoutDefaults(head(composeBriefing(given).text))).toBe(withoutDefaults(head(composeBriefing(down).text)));
      }),
      RUNS,
    );
  });

  verifies(['SPEC-0030/REQ-14/s4'], 'is empty outside every repository and when every section is', () => {
    fc.assert(
      fc.property(snapshot, ({ repo: _repo, ...outside }) => {
        expect(composeBriefing(outside)).toMatchObject({ empty: true, text: `${PREAMBLE}omitted: 0` });
      }),
    );
    fc.assert(
      fc.property(snapshot, (given) => {
        const nothing = { ...given, collisions: [], recent_runs: [], facts: [], episodes: { provider: 'builtin', items: [] } };
        expect(composeBriefing(nothing)).toMatchObject({ empty: true, text: `${PREAMBLE}omitted: 0` });
      }),
    );
  });

  test('is the same after its snapshot went through JSON', () => {
    fc.assert(
      fc.property(snapshot, (given) => {
        expect(composeBriefing(JSON.parse(JSON.stringify(given)) as typeof given).text).toBe(composeBriefing(given).text);
      }),
    );
  });
});

describe('a recall document', () => {
  const sections = fc.record({
    scope: fc.constant('project:forge.example/acme/api'),
    facts: fc.array(item('fact'), { maxLength: 20 }),
    episodes: fc.array(item('episode'), { maxLength: 20 }),
    recent_runs: fc.array(item('run'), { maxLength: 5 }),
    withheld: fc.nat({ max: 2 }),
  });

  verifies(['SPEC-0030/REQ-12/s4'], 'is at most 16 KiB, trimmed from episodes, then recent runs, then facts, and counts it', () => {
    const long = (label: 'fact' | 'episode' | 'run') => item(label).map((one) => ({ ...one, text: 'é'.repeat(500) }));
    const big = fc.record({
      scope: fc.constant('project:forge.example/acme/api'),
      facts: fc.array(long('fact'), { minLength: 8, maxLength: 20 }),
      episodes: fc.array(long('episode'), { minLength: 8, maxLength: 20 }),
      recent_runs: fc.array(long('run'), { maxLength: 5 }),
      withheld: fc.constant(0),
    });
    fc.assert(
      fc.property(fc.oneof(sections, big), (given) => {
        const { text, structured, truncated } = composeRecall(given);
        expect(utf8Length(text)).toBeLessThanOrEqual(RECALL_BYTES);
        expect(utf8Length(JSON.stringify(structured))).toBeLessThanOrEqual(RECALL_BYTES);
        const [facts, episodes, runs] = structured.sections.map((section) => section.items.length);
        expect((facts ?? 0) + (episodes ?? 0) + (runs ?? 0) + truncated).toBe(
          given.facts.length + given.episodes.length + given.recent_runs.length,
        );
        if ((runs ?? 0) < given.recent_runs.length) expect(episodes).toBe(0);
        if ((facts ?? 0) < given.facts.length) expect(runs).toBe(0);
        expect(text).toContain(`omitted: ${truncated}`);
      }),
    );
  });

  verifies(['SPEC-0030/REQ-12/s3'], 'keeps each section’s items a prefix of what was given, in order, whatever their scores', () => {
    fc.assert(
      fc.property(sections, (given) => {
        const { structured } = composeRecall(given);
        const ids = structured.sections.map((section) => section.items.map((one) => (one as { id: string }).id));
        expect(ids[0]).toEqual(given.facts.slice(0, ids[0]?.length).map((one) => one.id));
        expect(ids[1]).toEqual(given.episodes.slice(0, ids[1]?.length).map((one) => one.id));
        expect(ids[2]).toEqual(given.recent_runs.slice(0, ids[2]?.length).map((one) => one.id));
      }),
    );
  });
});
