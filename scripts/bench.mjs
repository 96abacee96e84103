// `npm run bench [-- NAME…]`: builds, bundles the benchmarks and runs them.
import { join } from 'node:path';
import { build } from 'esbuild';
import { ensureInstalled, root, run } from './steps.mjs';

ensureInstalled();
run(process.execPath, ['scripts/bundle.mjs']);
const outfile = join(root, 'dist', 'bench', 'main.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['bench/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['better-sqlite3', 'sqlite-vec', 'koffi'],
  loader: { '.sql': 'text' },
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  logLevel: 'warning',
});
run(process.execPath, [outfile, root, ...process.argv.slice(2)]);
