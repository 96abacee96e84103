// The repository that the demonstration works in: small, real, with a failing test.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const DEMO_REPO = 'forge.example/acme/api';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "acme-api", "type": "module", "private": true, "scripts": { "test": "node test/ledger.test.js" } }\n',
  'README.md': '# acme-api\nA ledger.\n',
  'src/ledger.js':
    'export const sum = (entries) => {\n  let total = 0;\n  for (const entry of entries) total += entry;\n  return Math.round(total);\n};\n',
  'test/ledger.test.js':
    "import assert from 'node:assert';\nimport { sum } from '../src/ledger.js';\nassert.equal(sum([4.05, 6.08]), 10.1, 'cents are kept');\n",
};

/** Makes the repository with one commit, a branch and an origin that is never reached. */
export const makeDemoRepository = (directory: string): void => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@forge.example', '-c', 'commit.gpgsign=false', ...args], {
      cwd: directory,
      stdio: 'ignore',
    });
  };
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', `https://${DEMO_REPO}.git`);
  git('add', '.');
  git('commit', '-q', '-m', 'Start the ledger');
  git('checkout', '-q', '-b', 'fix/ledger');
};
