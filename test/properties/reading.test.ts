// What an operator may write for a repository, and what an agent's bytes become on a terminal.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forTerminal } from '../../src/cli/render/terminal.js';
import { readRepoKey } from '../../src/core/run/repo-key.js';

describe('a repository as an operator writes it', () => {
  test.each([
    ['forge.example/acme/api', 'forge.example/acme/api'],
    ['Forge.Example/Acme/api', 'forge.example/Acme/api'],
    ['https://user:pw@forge.example:8443/acme/api.git', 'forge.example/acme/api'],
    ['git@forge.example:acme/api.git', 'forge.example/acme/api'],
    ['local/0123456789ab/api', 'local/0123456789ab/api'],
    ['foo', undefined],
    ['acme/api', undefined],
    ['forge.example//api', undefined],
    ['forge.example/acme/..', undefined],
    ['forge.example/acme/a b', undefined],
  ])('%s is %s', (text, key) => expect(readRepoKey(text)).toBe(key));
});

describe('text for a terminal', () => {
  test('holds no escape, no control but line break and tab, and no change of direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(forTerminal(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
    expect(forTerminal('a\u001b]0;title\u0007\tb\u202e\nc')).toBe('a]0;title\tb\nc');
  });
});
