// Bundles the CLI and the store's worker into dist/harness: flat, split into chunks, so that a command loads only its own code.
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const final = join(root, 'dist', 'harness');
const outdir = join(root, 'dist', `harness.${process.pid}`);

await build({
  absWorkingDir: root,
  entryPoints: { harness: 'src/cli/main.ts', 'store-worker': 'src/shell/store/worker.ts', 'demo-agent': 'src/demo/agent.ts' },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['better-sqlite3', 'sqlite-vec', 'koffi', 'node-pty'],
  loader: { '.sql': 'text' },
  alias: { 'string-width': './src/cli/render/text-width.ts' },
  define: { HARNESS_VERSION: JSON.stringify(version) },
  // CommonJS packages inside an ESM bundle need a require of their own.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  minify: true,
  keepNames: true,
  sourcemap: true,
  logLevel: 'warning',
});
chmodSync(join(outdir, 'harness.js'), 0o755);

// Swapped in whole, so that nobody meets half a bundle.
const old = `${final}.old.${process.pid}`;
if (existsSync(final)) renameSync(final, old);
renameSync(outdir, final);
rmSync(old, { recursive: true, force: true });
