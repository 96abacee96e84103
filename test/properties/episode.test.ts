// Laws of episode assembly: reproducible, bounded, redacted, and only from rows of the primary session's repository.

import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { assembleEpisode } from '../../src/core/episode/assemble.js';
import { eligibleSession } from '../../src/core/episode/eligible.js';
import { EPISODE_FIELDS, type SafeEpisode } from '../../src/core/episode/episode.js';
import { renderEpisode } from '../../src/core/episode/render.js';
import { sanitizeEpisode, withSummary } from '../../src/core/episode/sanitize.js';
import { codePointLength, utf8Length } from '../../src/core/kernel/text.js';
import type { StoredRun } from '../../src/core/run/session.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { storedRun } from '../support/arbitraries.js';
import { verifies } from '../support/verifies.js';

const episodeOf = (run: StoredRun): SafeEpisode | undefined => {
  const raw = assembleEpisode(run, sha256Hex);
  return E.isRight(raw) ? sanitizeEpisode(raw.right) : undefined;
};

const eligible = storedRun.filter((run) => E.isRight(eligibleSession(run)));

describe('episode', () => {
  test('is the same for the same record, whatever the order of its rows', () => {
    fc.assert(
      fc.property(eligible, (run) => {
        const shuffled = { ...run, sessions: [...run.sessions].reverse(), events: [...run.events].reverse() };
        expect(episodeOf(shuffled)).toEqual(episodeOf(run));
      }),
    );
  });

  verifies(
    ['SPEC-0030/REQ-5/assembly-is-reproducible', 'SPEC-0030/REQ-5/s4'],
    'and its rendering are byte-identical for the same stored record',
    () => {
      fc.assert(
        fc.property(eligible, (run) => {
          const copy = JSON.parse(JSON.stringify(run)) as StoredRun;
          const [one, two] = [episodeOf(run), episodeOf(copy)];
          expect(JSON.stringify(two)).toBe(JSON.stringify(one));
          if (one === undefined || two === undefined) throw new Error('not eligible');
          expect(renderEpisode(two)).toBe(renderEpisode(one));
          const keys = renderEpisode(one)
            .split('\n')
            .map((line) => line.slice(0, line.indexOf(':')));
          expect(keys).toEqual(EPISODE_FIELDS.filter((field) => keys.includes(field)));
        }),
      );
    },
  );

  verifies(['SPEC-0030/REQ-5/s2', 'SPEC-0030/REQ-5/n1'], 'has exactly the table’s fields, each within its bound', () => {
    fc.assert(
      fc.property(eligible, (run) => {
        const episode = episodeOf(run);
        if (episode === undefined) throw new Error('not eligible');
        expect(Object.keys(episode)).toEqual(EPISODE_FIELDS.filter((field) => episode[field] !== undefined));
        for (const field of ['harness', 'adapter', 'trace_id', 'model', 'repo', 'branch'] as const)
          expect(utf8Length(episode[field] ?? '')).toBeLessThanOrEqual(256);
        expect(episode.files_touched.length).toBeLessThanOrEqual(50);
        expect(episode.verify_failures.length).toBeLessThanOrEqual(10);
        expect(codePointLength(episode.result_excerpt ?? '')).toBeLessThanOrEqual(run.context.excerpt_chars);
      }),
    );
  });

  verifies(['SPEC-0030/REQ-5/n2'], 'counts files and failures only of sessions in the primary session’s repository', () => {
    fc.assert(
      fc.property(eligible, (run) => {
        const primary = eligibleSession(run);
        if (E.isLeft(primary)) throw new Error('not eligible');
        const kept = run.sessions.filter((session) => session.repo === primary.right.repo).map((session) => session.session_id);
        const own = { ...run, events: run.events.filter((event) => kept.includes(event.session_id)) };
        expect(episodeOf(run)?.files_touched).toEqual(episodeOf(own)?.files_touched);
        expect(episodeOf(run)?.verify_failures).toEqual(episodeOf(own)?.verify_failures);
        const others = run.sessions.filter((session) => session.parent_session === undefined && session.repo !== undefined);
        if (others.length > 0) expect(primary.right.parent_session).toBeUndefined();
      }),
    );
  });

  test('has no control character and no line break in any string', () => {
    fc.assert(
      fc.property(eligible, (run) => {
        const strings = JSON.stringify(episodeOf(run), (_key, value: unknown) =>
          typeof value === 'string' && /[\u0000-\u001f\u007f-\u009f]/.test(value) ? '☠' : value,
        );
        expect(strings).not.toContain('☠');
      }),
    );
  });

  verifies(['SPEC-0030/REQ-6/s1'], 'carries no secret, wherever one is planted and however it is broken up', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{36}$/).map((body) => `ghp_${body}`);
    fc.assert(
      fc.property(eligible, secret, fc.nat({ max: 39 }), (run, token, at) => {
        const broken = `${token.slice(0, at)}\u0000${token.slice(at)}`;
        const planted: StoredRun = {
          ...run,
          record: { ...run.record, model: `m ${token}` },
          sessions: run.sessions.map((session) => ({ ...session, git_branch: `b/${broken}` })),
          events: run.events.map((event) => ({
            ...event,
            error_class: token,
            targets: event.targets.map((target) => ({ ...target, path: `d/${token}` })),
          })),
          results: run.results.map((result) => ({ ...result, text: `see ${broken} there` })),
        };
        const episode = episodeOf(planted);
        if (episode === undefined) throw new Error('not eligible');
        const told = JSON.stringify(episode) + renderEpisode(episode);
        expect(told).not.toContain(token);
      }),
    );
  });

  verifies(['SPEC-0030/REQ-6/s3'], 'has its repository’s scope, and is untrusted exactly when an event or the operator let text in', () => {
    fc.assert(
      fc.property(eligible, (run) => {
        const episode = episodeOf(run);
        expect(episode?.scope).toBe(`project:${episode?.repo}`);
        const untrusted = run.record.event_id !== undefined || run.context.untrusted_inline;
        expect(episode?.trust_class).toBe(untrusted ? 'untrusted_input' : 'standard');
        if (episode !== undefined) expect(withSummary(episode, 'a summary').scope).toBe(episode.scope);
      }),
    );
  });
});

describe('eligibility', () => {
  verifies(['SPEC-0030/REQ-8/s1'], 'wants a process, a session in a repository, and no opting out', () => {
    fc.assert(
      fc.property(storedRun, (run) => {
        const { outcome, reason } = run.record;
        const spawned = outcome !== 'skipped' && outcome !== 'missed' && !(outcome === 'failed' && reason === 'spawn');
        const inRepo = run.sessions.some((session) => session.repo !== undefined);
        const { memory_record, record_trace } = run.context;
        expect(E.isRight(eligibleSession(run))).toBe(spawned && inRepo && memory_record && record_trace);
      }),
    );
  });
});
