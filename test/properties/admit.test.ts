// The law that keeps memory contained: whatever a provider returns, what is served was indexed under a scope the caller may see.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitItems, type IndexEntry } from '../../src/core/provider/admit.js';
import { ITEMS_READ, type RecallItem } from '../../src/core/provider/contract.js';
import { anEpisode, nastyText } from '../support/arbitraries.js';
import { verifies } from '../support/verifies.js';

const SCOPES = [
  'project:forge.example/acme/api',
  'project:forge.example/acme/billing',
  'project:forge.example/Acme/api',
  'project:forge.example/acme/apis',
];
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'x'.repeat(128), 'x'.repeat(129));

const entry: fc.Arbitrary<IndexEntry> = fc.record(
  {
    provider_id: id,
    scope: fc.constantFrom(...SCOPES),
    forgotten: fc.boolean(),
    conflict: fc.boolean(),
    at: fc.constant('2026-09-28T02:14:07.000000000Z'),
    episode: fc.constantFrom(...SCOPES).map((scope) => anEpisode({ scope })),
  },
  { requiredKeys: ['provider_id', 'scope', 'forgotten', 'conflict', 'at'] },
);
const index = fc.uniqueArray(entry, { selector: (row) => row.provider_id });
const score = fc.oneof(fc.double(), fc.constant(null), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY));
const reply: fc.Arbitrary<RecallItem[]> = fc.array(
  fc.record(
    { id, text: fc.oneof(nastyText, fc.constant('t'.repeat(2_001)), fc.constant('😀'.repeat(2_000))), score },
    { requiredKeys: ['id', 'text'] },
  ),
  { maxLength: 130 },
);

describe('admission', () => {
  test('serves only ids indexed, unforgotten, without conflict, under a visible scope', () => {
    fc.assert(
      fc.property(reply, index, fc.subarray(SCOPES, { maxLength: 2 }), fc.integer({ min: 1, max: 20 }), (items, rows, scopes, limit) => {
        const admitted = admitItems(items, rows, scopes, limit);
        expect(admitted.items.length).toBeLessThanOrEqual(limit);
        for (const served of admitted.items) {
          const source = rows.find((row) => row.episode === served.episode);
          expect(source).toBeDefined();
          expect(scopes).toContain(source?.scope);
          expect(source?.forgotten).toBe(false);
          expect(source?.conflict).toBe(false);
        }
      }),
    );
  });

  test('accounts for every item that it reads', () => {
    fc.assert(
      fc.property(reply, index, (items, rows) => {
        const { items: served, dropped } = admitItems(items, rows, SCOPES.slice(0, 2), ITEMS_READ);
        const drops = Object.values(dropped).reduce((sum, count) => sum + count, 0);
        expect(served.length + drops).toBe(Math.min(items.length, ITEMS_READ));
      }),
    );
  });

  const known = (overrides: Partial<IndexEntry>): IndexEntry => ({
    provider_id: 'a',
    scope: SCOPES[0] ?? '',
    forgotten: false,
    conflict: false,
    at: '',
    episode: anEpisode(),
    ...overrides,
  });

  test('names the first reason that holds: unknown, forgotten, scope, invalid', () => {
    const bad: RecallItem = { id: 'a', text: 't'.repeat(2_001), score: Number.NaN };
    const reasons = (rows: readonly IndexEntry[], scopes: readonly string[]) => Object.keys(admitItems([bad], rows, scopes, 8).dropped);
    expect(reasons([], [])).toEqual(['unknown_id']);
    expect(reasons([known({ forgotten: true })], [])).toEqual(['forgotten']);
    expect(reasons([known({})], [SCOPES[1] ?? ''])).toEqual(['scope']);
    expect(reasons([known({ conflict: true })], SCOPES)).toEqual(['scope']);
    expect(reasons([known({})], SCOPES)).toEqual(['invalid']);
  });

  verifies(
    ['SPEC-0030/REQ-3/n1'],
    'drops text over 2000 characters, ids over 128 and scores that are not finite, and keeps the bounds themselves',
    () => {
      const rows = ['a', 'x'.repeat(128), 'x'.repeat(129)].map((provider_id) => known({ provider_id }));
      const kept = (item: RecallItem) => admitItems([item], rows, SCOPES, 8).items.length === 1;
      expect(kept({ id: 'a', text: '😀'.repeat(2_000) })).toBe(true);
      expect(kept({ id: 'a', text: '😀'.repeat(2_001) })).toBe(false);
      expect(kept({ id: 'x'.repeat(128), text: '' })).toBe(true);
      expect(kept({ id: 'x'.repeat(129), text: '' })).toBe(false);
      expect(kept({ id: 'a', text: '', score: 0.5 })).toBe(true);
      for (const score of [Number.NaN, Number.POSITIVE_INFINITY, null]) expect(kept({ id: 'a', text: '', score })).toBe(false);
    },
  );

  test('serves a repeated id once', () => {
    const twice = admitItems(
      [
        { id: 'a', text: '1' },
        { id: 'a', text: '2' },
      ],
      [known({})],
      SCOPES,
      8,
    );
    expect(twice.items.map((item) => item.text)).toEqual(['1']);
    expect(twice.dropped).toEqual({ invalid: 1 });
  });
});
