// Text made of the pieces that rules look for, glued without sense: what a fuzzer or an attacker would send.
import * as fc from 'fast-check';
import { diceOf } from './dice.js';
import { SECRET_SHAPES } from './secrets.js';

/** Pieces of needles, labels and values. */
export const PIECES: readonly string[] = [
  ...['token', 'secret', 'password', 'passwd', 'passphrase', 'api_key', 'api-key', 'key', 'x-auth-token', 'authorization', 'Authorization'],
  ...[
    'bearer',
    'Bearer ',
    'basic ',
    'digest ',
    'token ',
    '=',
    ':',
    ': ',
    ' = ',
    '=>',
    ':=',
    '"',
    "'",
    '`',
    '\\"',
    '\\',
    '\\n',
    ' ',
    '\n',
    '\t',
  ],
  ...[
    ',',
    ';',
    '&',
    '&a=',
    '://',
    'http://',
    'https://',
    '@',
    '/',
    '.',
    '-',
    '_',
    '|',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '$',
    '${',
    '${A_',
  ],
  ...['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----', '-----BEGIN ', '--password ', '--token', '-u ', 'curl ', 'wget '],
  ...['[REDACTED]', '[RED', 'string', 'null', 'process.env.', 'é', '日', 'bot', '%3D', '\\u0041', '[0m', '?', '#', 'a', 'b1', 'user'],
  ...['ghp_', 'sk-', 'eyJ', 'AKIA', 'SG.', 'hf_', 'npm_', 'hooks.slack.com/services/', '12345678:A', 'xoxb-', 'dop_v1_', 'hvs.'],
];

const planted = fc
  .record({ shape: fc.constantFrom(...SECRET_SHAPES), seed: fc.integer() })
  .map(({ shape, seed }) => shape.make(diceOf(seed)).text);

const piece = fc.oneof(
  { arbitrary: fc.constantFrom(...PIECES), weight: 6 },
  { arbitrary: planted, weight: 2 },
  { arbitrary: fc.string({ maxLength: 4 }), weight: 1 },
  { arbitrary: fc.tuple(fc.constantFrom(...'aA0-_.=:/@'), fc.integer({ min: 1, max: 70 })).map(([c, n]) => c.repeat(n)), weight: 1 },
);

export const hostileText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
