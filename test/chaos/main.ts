// Runs a campaign: `crash [--seed N] [--points N]` or `soak [--points N]`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { crash, renderCrash } from './crash.js';
import { renderSoak, soak } from './soak.js';

const USAGE = `usage: npm run chaos -- crash [--seed N] [--points N]   the daemon is killed at N points drawn from the seed (200)
       npm run chaos -- soak [--points N]               N runs and N starts of a crashing resident leave nothing behind (1000)
`;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, points: { type: 'string' } },
});

const whole = (text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(USAGE);
  process.exit(1);
};

const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const campaign = async (name: string | undefined): Promise<{ readonly text: string; readonly ok: boolean }> => {
  const points = values.points === undefined ? undefined : whole(values.points);
  switch (name) {
    case 'crash':
      return renderCrash(await crash(whole(values.seed), points ?? 200, tell), points ?? 200);
    case 'soak':
      return renderSoak(await soak(points ?? 1_000, tell));
    default:
      process.stderr.write(USAGE);
      process.exit(1);
  }
};

/** One test in the form of vitest's own reports, where a file for it is named. */
const writeReport = (passed: boolean): void => {
  const file = process.env['HARNESS_TEST_REPORT'];
  const counts = {
    numPassedTests: passed ? 1 : 0,
    numFailedTests: passed ? 0 : 1,
    numFailedTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
  };
  if (file !== undefined && file !== '') writeFileSync(file, JSON.stringify(counts));
};

const { text, ok } = await campaign(positionals[0]);
process.stdout.write(`${text}\n`);
writeReport(ok);
process.exitCode = ok ? 0 : 1;
