// The goldens hold on any machine: they run again under an odd time zone and locale, with their input in another order.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const files = ['recall', 'briefing', 'episode', 'trace'].map((name) => `test/golden/${name}.test.ts`);

const runAgain = (env: NodeJS.ProcessEnv): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const options = { cwd: root, env: { ...process.env, ...env, BLESS: '', HARNESS_TEST_REPORT: '' } };
    execFile(process.execPath, [vitest, 'run', '--reporter=dot', ...files], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` });
    });
  });

test('in Chatham, in Turkish, and in another order of rows and members', async () => {
  const odd = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', HARNESS_TEST_SHUFFLE: '1' };
  const { code, output } = await runAgain(odd);
  expect(code, output).toBe(0);
  expect(output).toMatch(/4 passed/);
});
