// `npm run chaos -- crash [--seed N] [--points N]`: builds, bundles the campaigns and runs one.
import { join } from 'node:path';
import { build } from 'esbuild';
import { ensureInstalled, root, run } from './steps.mjs';

ensureInstalled();
run(process.execPath, ['scripts/bundle.mjs']);
const outfile = join(root, 'dist', 'chaos', 'main.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['test/chaos/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['better-sqlite3', 'sqlite-vec', 'koffi', 'node-pty', 'vitest'],
  loader: { '.sql': 'text' },
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  logLevel: 'warning',
});
run(process.execPath, [outfile, ...process.argv.slice(2)]);
