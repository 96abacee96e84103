// The laws of redacting decoded JSON (SPEC-0030 REQ-6).
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, redact } from '../../src/core/untrusted/redact.js';
import { MAX_JSON_DEPTH, redactJson } from '../../src/core/untrusted/redact-json.js';
import { diceOf } from '../untrusted/dice.js';
import { hostileText } from '../untrusted/hostile.js';
import { SECRET_SHAPES } from '../untrusted/secrets.js';

const secretKey = fc.constantFrom(
  'token',
  'API_KEY',
  'apiKey',
  'db-password',
  'client_secret',
  'passphrase',
  'privateKey',
  'Authorization',
);
const key = fc.oneof(fc.string(), secretKey, hostileText);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    hostileText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
})).value;

/** The value with every string and key emptied: what must not change. */
const shapeOf = (value: unknown): unknown => {
  if (typeof value === 'string') return '';
  if (value === null || typeof value !== 'object') return value;
  return Array.isArray(value) ? value.map(shapeOf) : Object.values(value).map(shapeOf);
};

const strings = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Array.isArray(value) ? value.flatMap(strings) : Object.entries(value).flatMap(([name, member]) => [name, ...strings(member)]);
};

const nested = (depth: number, leaf: unknown): unknown => {
  let value = leaf;
  for (let i = 0; i < depth; i += 1) value = [value];
  return value;
};

describe('redactJson', () => {
  test('keeps kinds, lengths, order, numbers and booleans', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(shapeOf(redactJson(value))).toEqual(shapeOf(value));
      }),
    );
  });

  test('leaves no string that redact would still change', () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const text of strings(redactJson(value))) expect(redact(text)).toBe(text);
      }),
    );
  });

  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(redactJson(redactJson(value))).toEqual(redactJson(value));
      }),
    );
  });

  test('masks a secret wherever it stands, in a value or as a key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_SHAPES), fc.integer(), json, (shape, seed, other) => {
        const { text, secret } = shape.make(diceOf(seed));
        const redacted = strings(redactJson({ a: [text, { b: text, c: other }], [text]: 1 }));
        for (const found of redacted) expect(found).not.toContain(secret);
      }),
    );
  });

  test('masks the whole of a string under a secret name, in lists too', () => {
    fc.assert(
      fc.property(secretKey, fc.string({ minLength: 1 }), (name, text) => {
        fc.pre(!text.startsWith('$') && !text.startsWith('['));
        expect(redactJson({ [name]: text })).toEqual({ [name]: MASK });
        expect(redactJson({ [name]: [text] })).toEqual({ [name]: [MASK] });
      }),
    );
  });

  test('keeps what only refers to a secret, and numbers and names that merely contain one', () => {
    const value = {
      token: '$TOKEN',
      secret: '[REDACTED]',
      password: '',
      max_tokens: 'many',
      tokens: 12,
      apiKeySource: 'env',
      private_key: 7,
    };
    expect(redactJson(value)).toEqual(value);
  });

  test('masks the value of a flag in an argument list', () => {
    expect(redactJson(['login', '--password', 'hunter2', '--token', '$T', '--secret', '--x'])).toEqual([
      ...['login', '--password', MASK, '--token', '$T', '--secret', '--x'],
    ]);
  });

  test('keeps two secret keys apart, and a member named __proto__', () => {
    const [first, second] = [diceOf(1), diceOf(2)].map((dice) => `ghp_${dice.text('abc123', 36)}`);
    expect(redactJson({ [first ?? '']: 1, [second ?? '']: 2 })).toEqual({ [MASK]: 1, [`${MASK} 2`]: 2 });
    expect(redactJson({ [MASK]: 1, [`${MASK} 3`]: 2, [first ?? '']: 3, [second ?? '']: 4 })).toEqual({
      [MASK]: 1,
      [`${MASK} 3`]: 2,
      [`${MASK} 2`]: 3,
      [`${MASK} 4`]: 4,
    });
    const parsed: unknown = JSON.parse('{"__proto__": {"token": "x"}}');
    expect(JSON.stringify(redactJson(parsed))).toBe(`{"__proto__":{"token":"${MASK}"}}`);
  });

  test('a hundred thousand secret keys stay as many members', () => {
    const object = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`ghp_${String(i).padStart(30, 'x')}`, i]));
    expect(Object.keys(redactJson(object) as object).length).toBe(100_000);
  });

  test('masks what lies deeper than anyone reads', () => {
    expect(redactJson(nested(MAX_JSON_DEPTH, 'deep'))).toEqual(nested(MAX_JSON_DEPTH, 'deep'));
    expect(redactJson(nested(MAX_JSON_DEPTH + 1, 'deep'))).toEqual(nested(MAX_JSON_DEPTH, MASK));
    expect(() => JSON.stringify(redactJson(JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))))).not.toThrow();
  });
});
