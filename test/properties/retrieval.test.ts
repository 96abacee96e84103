// Laws and tables of retrieval: no text of a query is ever syntax, words of names are found, rankings fuse by rank alone.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FUSION_K, fuseRankings } from '../../src/core/retrieval/fuse.js';
import { matchExpression, QUERY_WORDS, queryWords, splitWords, TASK_WORDS } from '../../src/core/retrieval/query.js';
import { nastyText } from '../support/arbitraries.js';

const query = fc.oneof(
  nastyText,
  fc
    .array(fc.constantFrom('the', 'AND', 'ledger', '"', '*', 'NEAR(', ')', '-', 'body:', '^', "'", ';', 'Ünïcode', '日本', 'x'), {
      maxLength: 90,
    })
    .map((all) => all.join(' ')),
);

describe('a full-text query', () => {
  test.each([
    ['ledger flake', '"ledger" OR "flake"'],
    ['Ledger LEDGER ledger', '"ledger"'],
    ['the ledger and the flake', '"ledger" OR "flake"'],
    ['to be or not to be', '"to" OR "be" OR "or" OR "not"'],
    ['a ledger b', '"ledger"'],
    ['foo-bar_baz.qux', '"foo" OR "bar_baz" OR "qux"'],
    ['scope_key:z1z OR body:x', '"scope_key" OR "z1z" OR "body"'],
    ['"quoted" NEAR(a b) c*', '"quoted" OR "near"'],
    ["'; DROP TABLE x; --", '"drop" OR "table"'],
    ['e\u0301t\u00e9', '"\u00e9t\u00e9"'],
    ['\u0130STANBUL', '"stanbul"'],
    ['日本 語', '"日本"'],
    ['error 404', '"error" OR "404"'],
    ['x y z', undefined],
    ['? ! …', undefined],
    ['😀', undefined],
    ['', undefined],
  ])('of %j is %j', (text, expression) => expect(matchExpression(text)).toBe(expression));

  test('is quoted words joined by OR, distinct, no more than the limit, and holds nothing else', () => {
    fc.assert(
      fc.property(query, fc.constantFrom(1, 3, QUERY_WORDS, TASK_WORDS), (text, limit) => {
        const expression = matchExpression(text, limit);
        const words = expression === undefined ? [] : expression.split(' OR ');
        expect(words.length).toBeLessThanOrEqual(limit);
        expect(new Set(words).size).toBe(words.length);
        for (const word of words) expect(word).toMatch(/^"[\p{L}\p{N}_]{2,}"$/u);
        expect(words).toEqual(
          queryWords(text)
            .slice(0, limit)
            .map((word) => `"${word}"`),
        );
      }),
    );
  });

  test('is the same for the same text in other case or another normal form', () => {
    fc.assert(
      fc.property(query, (text) => {
        expect(matchExpression(text.normalize('NFD'))).toBe(matchExpression(text.normalize('NFC')));
      }),
    );
    expect(matchExpression('LEDGER Flake')).toBe(matchExpression('ledger fLAKE'));
  });

  test('drops exactly the stop words, and only while something else remains', () => {
    fc.assert(
      fc.property(query, (text) => {
        const words = queryWords(text);
        const stops = words.filter((word) => queryWords(`${word} ledger`).length === 1 && word !== 'ledger');
        expect(stops.length === 0 || stops.length === words.length).toBe(true);
      }),
    );
  });
});

describe('the words of a name', () => {
  test.each([
    ['getUserById', 'get User By Id'],
    ['HTTPServer', 'HTTP Server'],
    ['parseJSON2XML', 'parse JSON2 XML'],
    ['snake_case-and.dots/and:colons', 'snake case and dots colons'],
    ['internal/ledger/ledger.go', 'internal ledger go'],
    ['ALLCAPS', 'ALLCAPS'],
    ['ÄnderungÖffnen', 'Änderung Öffnen'],
    ['  ', ''],
    ['', ''],
  ])('%j are %j', (text, words) => expect(splitWords(text)).toBe(words));

  test('are its own letters in order, each word once', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const words = splitWords(text) === '' ? [] : splitWords(text).split(' ');
        expect(new Set(words).size).toBe(words.length);
        for (const word of words) expect(text).toContain(word);
        for (const word of words) expect(word).not.toMatch(/[\s_\-./:,]/);
      }),
    );
  });
});

describe('fusion', () => {
  const ids = (rankings: readonly (readonly string[])[], recency: Readonly<Record<string, string>> = {}): string =>
    fuseRankings(rankings, (id) => recency[id] ?? '')
      .map(({ id }) => id)
      .join('');

  test('of two rankings sums 1/(60 + rank)', () => {
    const fused = fuseRankings(
      [
        ['A', 'B', 'C'],
        ['B', 'D', 'A'],
      ],
      () => '',
    );
    expect(fused.map(({ id, score }) => [id, score.toFixed(6)])).toEqual([
      ['B', '0.032522'],
      ['A', '0.032266'],
      ['D', '0.016129'],
      ['C', '0.015873'],
    ]);
    expect(FUSION_K).toBe(60);
  });

  test.each([
    [[['A', 'B', 'C']], {}, 'ABC'],
    [[[], ['A', 'B']], {}, 'AB'],
    [[], {}, ''],
    [[['A'], ['B']], { A: '2026-01', B: '2026-02' }, 'BA'],
    [[['B'], ['A']], { A: '2026-01', B: '2026-01' }, 'AB'],
    [[['b'], ['B'], ['é'], ['😀']], {}, 'Bbé😀'],
    [
      [
        ['A', 'B'],
        ['B', 'A'],
      ],
      { A: '1', B: '2' },
      'BA',
    ],
  ])('of %j with recency %j is %s', (rankings, recency, order) => expect(ids(rankings, recency as Record<string, string>)).toBe(order));

  test('holds every id of any ranking once, better ranks first, whatever the order of the rankings', () => {
    const ranking = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    fc.assert(
      fc.property(fc.array(ranking, { maxLength: 4 }), (rankings) => {
        const recency = (id: string): string => (id < 'c' ? '1' : '2');
        const fused = fuseRankings(rankings, recency);
        expect(fused.map(({ id }) => id).sort()).toEqual([...new Set(rankings.flat())].sort());
        for (let i = 1; i < fused.length; i += 1) expect(fused[i - 1]?.score ?? 0).toBeGreaterThanOrEqual(fused[i]?.score ?? 0);
        if (rankings.length <= 2) expect(fuseRankings([...rankings].reverse(), recency)).toEqual(fused);
      }),
    );
  });

  test('keeps a single ranking as it is', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 12 }), (ranking) => {
        expect(fuseRankings([ranking], () => '').map(({ id }) => id)).toEqual(ranking);
      }),
    );
  });
});
