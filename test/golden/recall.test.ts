// Each directory of test/golden/recall is a case: what was found, and the document an agent reads of it, as text and structured.
import { describe, expect, test } from 'vitest';
import { utf8Length } from '../../src/core/kernel/text.js';
import type { AdmittedItem } from '../../src/core/provider/admit.js';
import { composeRecall, type MemoryAnswer, RECALL_BYTES, type RecallSections } from '../../src/core/recall/compose.js';
import { episodeItem, type RecentRun, runItem } from '../../src/core/recall/items.js';
import { PREAMBLE } from '../../src/core/untrusted/data-wrapper.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { anEpisode } from '../support/arbitraries.js';
import { goldenCases, written } from '../support/golden.js';
import { verifies } from '../support/verifies.js';

interface Input extends Omit<RecallSections, 'episodes' | 'recent_runs'> {
  readonly provider: string;
  /** What differs from the episode that all cases share. */
  readonly episodes: readonly (Omit<AdmittedItem, 'episode'> & { readonly episode: Parameters<typeof anEpisode>[0] })[];
  readonly recent_runs: readonly RecentRun[];
}

const cases = goldenCases('recall');

const answerOf = (name: string): MemoryAnswer => {
  const { provider, episodes, recent_runs, ...rest } = cases.input<Input>(name, 'input.json');
  return composeRecall({
    ...rest,
    episodes: episodes.map((found) => episodeItem({ ...found, episode: anEpisode(found.episode) }, provider)),
    recent_runs: recent_runs.map((run) => runItem(run, rest.scope)),
  });
};

test.each(cases.names)('%s', (name) => {
  const { text, structured } = answerOf(name);
  cases.hold(name, 'document.txt', text);
  cases.hold(name, 'structured.json', written(structured));
});

describe('of all cases', () => {
  test('the document opens with the preamble, byte for byte, and every other line is quoted or a header', () => {
    expect(sha256Hex(PREAMBLE)).toBe('12f4c129eaedb93aa4bbcbc28adaa3c16be08388c9713eb683e3d6213665af06');
    for (const name of cases.names) {
      const { text } = answerOf(name);
      expect(text.startsWith(PREAMBLE)).toBe(true);
      for (const line of text.slice(PREAMBLE.length).split('\n')) expect(line).toMatch(/^> |^[a-z_]+:( |$)/);
      expect(utf8Length(text)).toBeLessThanOrEqual(RECALL_BYTES);
    }
  });

  verifies(
    ['SPEC-0030/REQ-12/s2', 'SPEC-0030/REQ-6/s4'],
    'the three sections stand in order, each item carries its label and provenance, and every episode is untrusted',
    () => {
      const { text, structured } = answerOf('worked');
      expect(text.match(/^section: .*$/gm)).toEqual([
        'section: facts kind=asserted',
        'section: episodes kind=observed untrusted=true',
        'section: recent_runs kind=observed',
      ]);
      expect(text.match(/^(label|provider|source): .*$/gm)).toEqual([
        'label: fact',
        'source: run=api-fixer#42 model=claude-opus-5',
        'label: episode',
        'source: run=api-fixer#42 model=claude-opus-5 adapter=claude-code branch=fix/flaky outcome=failed at=2026-09-28T02:14:07Z',
        'provider: builtin',
        'label: run',
        'source: run=crush-worker#7 model=qwen3-27b',
      ]);
      expect(structured.sections.map(({ name }) => name)).toEqual(['facts', 'episodes', 'recent_runs']);
      for (const name of cases.names)
        for (const item of answerOf(name).structured.sections[1]?.items ?? [])
          expect(item).toMatchObject({ label: 'episode', untrusted: true });
    },
  );
});
