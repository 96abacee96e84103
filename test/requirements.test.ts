// The gate: every active requirement is cited, no deferred one is, and no test cites an id that does not exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.js';
import { citationsOf, gapsOf, readSpecMap, renderSpecMapMarkdown, type SpecMap } from './support/spec-map.js';

const root = join(import.meta.dirname, '..');

describe('requirements', () => {
  test('the project has no gap', () => {
    expect(gapsOf(readSpecMap(root))).toEqual([]);
  });

  test('docs/spec-map.md is what the tests say', () => {
    expect(readFileSync(join(root, 'docs/spec-map.md'), 'utf8')).toBe(renderSpecMapMarkdown(readSpecMap(root)));
  });

  test('the list holds both specs whole', () => {
    expect(Object.keys(REQUIREMENTS).length).toBe(373);
  });

  test('the gate sees an uncited active id, a cited deferred id and an unknown id', () => {
    const row = (id: string, state: 'active' | 'deferred', citedBy: readonly string[]) => ({ id, kind: 'rule', state, text: '', citedBy });
    const map: SpecMap = {
      rows: [row('SPEC-0001/REQ-1/s1', 'active', []), row('SPEC-0001/REQ-1/s2', 'deferred', ['a.test.ts'])],
      unknown: [{ id: 'SPEC-0001/REQ-9/s9', file: 'b.test.ts' }],
    };
    expect(gapsOf(map)).toHaveLength(3);
  });

  test('citations are read from calls, several at once', () => {
    const call = 'verifies';
    expect(citationsOf(`${call}(['SPEC-0030/REQ-5/s1', "SPEC-0030/ERR/s2"], 'x', () => {})`)).toEqual([
      'SPEC-0030/REQ-5/s1',
      'SPEC-0030/ERR/s2',
    ]);
  });
});
