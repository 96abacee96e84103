// Laws of the kernel: the three lengths against the platform's own encoders, the one order, instants, durations, canonical JSON.
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type Json } from '../../src/core/kernel/canonical-json.js';
import { byCodePoint, byNumber, descending, inTurn, on, sorted, sortedDistinct } from '../../src/core/kernel/order.js';
import { countOf } from '../../src/core/kernel/tally.js';
import {
  capBytes,
  capCodePoints,
  codePointLength,
  decodeUtf8Lossy,
  estimatedTokens,
  stripControls,
  stripControlsKeepingLines,
  toOneLine,
  utf8Length,
} from '../../src/core/kernel/text.js';
import { DAY, formatDuration, formatInstant, formatInstantShort, parseDuration, parseInstant } from '../../src/core/kernel/time.js';

/** Any sequence of UTF-16 units, lone surrogates included. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '\u0000', '\u2028', '\uffff', '\ue000'), { maxLength: 20 })
    .map((all) => all.join('')),
);
const bytes = fc.uint8Array({ maxLength: 60 });
const limit = fc.nat({ max: 80 });

describe('text', () => {
  test('has as many bytes as the platform encodes, and as many characters as it iterates', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'));
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
        expect(codePointLength(text)).toBe([...text].length);
        expect(estimatedTokens(text)).toBe(Math.ceil(Buffer.byteLength(text) / 4));
      }),
    );
  });

  test('cut by characters is the longest prefix that fits', () => {
    fc.assert(
      fc.property(anyText, limit, (text, most) => {
        expect(capCodePoints(text, most)).toBe([...text].slice(0, most).join(''));
      }),
    );
  });

  test('cut by bytes is a prefix within the limit, and one more character would not fit', () => {
    fc.assert(
      fc.property(anyText, limit, (text, most) => {
        const cut = capBytes(text, most);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
        const [next] = [...text.slice(cut.length)];
        if (next !== undefined) expect(Buffer.byteLength(cut) + Buffer.byteLength(next)).toBeGreaterThan(most);
      }),
    );
  });

  test('decoded from any bytes is what the platform decodes', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    fc.assert(
      fc.property(bytes, (input) => {
        expect(decodeUtf8Lossy(input)).toBe(decoder.decode(input));
      }),
    );
  });

  test.each([
    [[0xc0, 0x80], 2],
    [[0xed, 0xa0, 0x80], 3],
    [[0xf4, 0x90, 0x80, 0x80], 4],
    [[0xf0, 0x9f, 0x98], 1],
    [[0xe2, 0x82], 1],
    [[0xff], 1],
  ])('decodes the ill-formed %j with %i replacement characters', (input, replacements) => {
    expect(decodeUtf8Lossy(Uint8Array.from(input))).toBe('\ufffd'.repeat(replacements));
  });

  test('encoded and decoded is the well-formed text itself, however long', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 300 }), (text, times) => {
        const long = text.repeat(times);
        expect(decodeUtf8Lossy(new TextEncoder().encode(long))).toBe(long.toWellFormed());
      }),
      { numRuns: 30 },
    );
  });

  test('stripped of controls has none, and loses nothing else', () => {
    const isControl = (char: string): boolean => /^[\u0000-\u001f\u007f-\u009f]$/.test(char);
    const without = (text: string, kept: string): string => [...text].filter((char) => !isControl(char) || kept.includes(char)).join('');
    fc.assert(
      fc.property(anyText, (text) => {
        expect(stripControls(text)).toBe(without(text, ''));
        expect(stripControlsKeepingLines(text)).toBe(without(text, '\n\t'));
        expect(toOneLine(text)).toBe(without(text.replace(/[\n\r\t\u2028\u2029]+/g, ' '), ''));
      }),
    );
  });
});

describe('order', () => {
  test('of texts is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        const [a, b] = [left.toWellFormed(), right.toWellFormed()];
        expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  test('of texts and numbers is total: antisymmetric, transitive, zero only for equals', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (a, b, c) => {
        expect(Math.sign(byCodePoint(a, b)) + Math.sign(byCodePoint(b, a))).toBe(0);
        expect(byCodePoint(a, b) === 0).toBe(a === b);
        const [low, middle, high] = sorted([a, b, c], byCodePoint);
        expect(byCodePoint(low ?? '', high ?? '') <= 0 && byCodePoint(low ?? '', middle ?? '') <= 0).toBe(true);
      }),
    );
    expect([byNumber(1, 2), byNumber(2, 1), byNumber(2, 2)]).toEqual([-1, 1, 0]);
  });

  test('sorted does not depend on the order it was given, nor touch it', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 12 }), (texts) => {
        const given = [...texts];
        expect(sorted([...texts].reverse(), byCodePoint)).toEqual(sorted(texts, byCodePoint));
        expect(texts).toEqual(given);
        expect(sortedDistinct([...texts, ...texts])).toEqual(sorted(new Set(texts), byCodePoint));
      }),
    );
  });

  test('in turn: the first comparator that tells two apart decides', () => {
    const rows = [
      { n: 1, s: 'b' },
      { n: 2, s: 'a' },
      { n: 1, s: 'a' },
    ];
    const order = inTurn(
      descending(on((row: { n: number; s: string }) => row.n, byNumber)),
      on((row: { n: number; s: string }) => row.s, byCodePoint),
    );
    expect(sorted(rows, order)).toEqual([
      { n: 2, s: 'a' },
      { n: 1, s: 'a' },
      { n: 1, s: 'b' },
    ]);
  });
});

describe('an instant', () => {
  const anyInstant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });

  test('reads back from its one spelling, which sorts as time does', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (at, other) => {
        expect(formatInstant(at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000000Z$/);
        expect(parseInstant(formatInstant(at))).toBe(at);
        expect(parseInstant(formatInstantShort(at))).toBe(at);
        expect(Math.sign(byCodePoint(formatInstant(at), formatInstant(other)))).toBe(Math.sign(at - other));
      }),
    );
  });

  test.each([
    ['2026-09-30T14:03:07Z', Date.UTC(2026, 8, 30, 14, 3, 7)],
    ['2026-09-30t14:03:07z', Date.UTC(2026, 8, 30, 14, 3, 7)],
    ['2026-09-30 14:03:07.1+02:00', Date.UTC(2026, 8, 30, 12, 3, 7, 100)],
    ['2026-09-30T14:03:07.123456789-12:45', Date.UTC(2026, 9, 1, 2, 48, 7, 123)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads %s', (text, at) => expect(parseInstant(text)).toBe(at));

  test.each(['', '2026-09-30', '2026-09-30T14:03Z', '2026-09-30T14:03:07', '30.09.2026', '2026-13-01T00:00:00Z', '2026-01-01T00:00:61Z'])(
    'refuses %j',
    (text) => expect(parseInstant(text)).toBeUndefined(),
  );

  test.each(['2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2026-04-31T12:00:00+02:00', '2026-01-01T24:00:00Z'])(
    'refuses the day that does not exist in %s',
    (text) => expect(parseInstant(text)).toBeUndefined(),
  );
});

describe('a duration', () => {
  test('reads back from its spelling', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat({ max: 3_650 * DAY }),
          fc.nat({ max: 400 }).map((days) => days * DAY),
        ),
        (duration) => {
          expect(parseDuration(formatDuration(duration))).toEqual(E.right(duration));
        },
      ),
    );
  });

  test.each([
    ['300ms', 300],
    ['2h45m', 9_900_000],
    ['1.5h', 5_400_000],
    ['90d', 90 * DAY],
    ['0', 0],
    ['0s', 0],
    ['1500us', 2],
    ['1500µs', 2],
    ['1m30s', 90_000],
  ])('%s is %i ms', (text, duration) => expect(parseDuration(text)).toEqual(E.right(duration)));

  test.each(['', '-5s', '+5s', '5', '1d2h', '1.5d', '5 s', 's', '1h-2m', '1000000d', 'NaNs', '1e3s'])('%j is none', (text) =>
    expect(E.isLeft(parseDuration(text))).toBe(true),
  );
});

describe('canonical JSON', () => {
  const value = fc.jsonValue({ maxDepth: 3 }).map((json) => json as Json);

  test('does not depend on the order of keys and reads back as the same value', () => {
    const reversed = (json: Json): Json => {
      if (Array.isArray(json)) return json.map(reversed);
      if (json === null || typeof json !== 'object') return json;
      return Object.fromEntries(
        Object.entries(json)
          .reverse()
          .map(([key, member]) => [key, reversed(member ?? null)]),
      );
    };
    fc.assert(
      fc.property(value, (json) => {
        expect(canonicalJson(reversed(json))).toBe(canonicalJson(json));
        expect(JSON.parse(canonicalJson(json))).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  test('leaves out what is undefined, sorts by UTF-16 unit, spaces nothing', () => {
    expect(canonicalJson({ b: [1, { z: null, a: true }], a: undefined, '\ufb01': 1, '\ud83d\ude00': 2 })).toBe(
      '{"b":[1,{"a":true,"z":null}],"\ud83d\ude00":2,"\ufb01":1}',
    );
  });
});

describe('a tally', () => {
  const reasons = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 20 });
  test('has each reason of the list with the number of its occurrences, and no other', () => {
    fc.assert(
      fc.property(reasons, (list) => {
        const counted = new Map(list.map((reason) => [reason, list.filter((other) => other === reason).length]));
        expect(countOf(list)).toEqual(Object.fromEntries(counted));
      }),
    );
  });
});
