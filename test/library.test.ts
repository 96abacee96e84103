// The package's entry as a user imports it: built, from plain Node, with exactly these names.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const EXPORTS = `CONTRACT_VERSION DROP_REASONS EPISODE_FIELDS MASK PREAMBLE PROVIDER_SCHEMAS PROVIDER_TOOLS RULES_VERSION SKIP_REASONS
  admitItems assembleEpisode briefingQuery checkRecall composeBriefing composeRecall drawFence eligibleSession episodeId episodeItem
  fence findings foldLine foldLines redact renderEpisode runItem sanitizeAndCap sanitizeEpisode visibleScopes withSummary`.split(/\s+/);

test('the built entry exports these names and composes', () => {
  const script = `import * as harness from 'harness';
    const briefing = harness.composeBriefing({ version: 1, now: '', harness: 'h', max_chars: 2000, collisions: [], recent_runs: [], facts: [],
      withheld: 0, episodes: { provider: 'builtin', items: [] } });
    console.log(JSON.stringify({ names: Object.keys(harness).sort(), empty: briefing.empty, masked: harness.redact('token=abcdefgh12345678') }));`;
  const cwd = join(import.meta.dirname, '..');
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({ names: EXPORTS, empty: true, masked: 'token=[REDACTED]' });
});
