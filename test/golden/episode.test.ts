// Each directory of test/golden/episode is a case: the stored rows of a run, and the episode made of them, or why there is none.
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { assembleEpisode } from '../../src/core/episode/assemble.js';
import { EPISODE_FIELDS, type SafeEpisode } from '../../src/core/episode/episode.js';
import { renderEpisode } from '../../src/core/episode/render.js';
import { sanitizeEpisode } from '../../src/core/episode/sanitize.js';
import type { StoredRun } from '../../src/core/run/session.js';
import { redactJson } from '../../src/core/untrusted/redact-json.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { goldenCases, written } from '../support/golden.js';
import { verifies } from '../support/verifies.js';

const cases = goldenCases('episode');

const episodeOf = (name: string): SafeEpisode | string => {
  const run = cases.input<StoredRun>(name, 'run.json');
  const { sessions, events, results } = run;
  const turned = { ...run, sessions: cases.shuffled(sessions), events: cases.shuffled(events), results: cases.shuffled(results) };
  const raw = assembleEpisode(turned, sha256Hex);
  return E.isLeft(raw) ? raw.left : sanitizeEpisode(raw.right);
};

test.each(cases.names)('%s', (name) => {
  const episode = episodeOf(name);
  if (typeof episode === 'string') return cases.hold(name, 'episode.json', written({ skipped: episode }));
  cases.hold(name, 'episode.json', written(episode));
  cases.hold(name, 'episode.txt', renderEpisode(episode));
});

verifies(['SPEC-0030/REQ-8/s2'], 'a harness that records no trace gets no episode', () => {
  expect(episodeOf('skipped-no-trace')).toBe('no_trace');
});

describe('of all cases', () => {
  const episodes = cases.names.map(episodeOf).filter((episode) => typeof episode !== 'string');

  test('the text lists fields of the table in its order, one a line, and the object holds no other', () => {
    for (const episode of episodes) {
      const keys = renderEpisode(episode)
        .split('\n')
        .map((line) => line.slice(0, line.indexOf(': ')));
      expect(keys).toEqual(EPISODE_FIELDS.filter((field) => keys.includes(field)));
      expect(Object.keys(episode)).toEqual(EPISODE_FIELDS.filter((field) => Object.hasOwn(episode, field)));
    }
  });

  test('nothing is left to redact, and no control character is left', () => {
    for (const episode of episodes) {
      expect(redactJson(episode)).toEqual(episode);
      expect(renderEpisode(episode)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
  });
});
