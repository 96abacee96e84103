// `npm run spec-map [-- ID-PREFIX…]`: which test proves which requirement; with `--write`, docs/spec-map.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './steps.mjs';

const bundled = await build({
  absWorkingDir: root,
  entryPoints: ['test/support/spec-map.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  logLevel: 'error',
});
const { readSpecMap, renderSpecMap, renderSpecMapMarkdown } = await import(
  `data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].contents).toString('base64')}`
);
const args = process.argv.slice(2);
const map = readSpecMap(root);
if (args.includes('--write')) writeFileSync(join(root, 'docs', 'spec-map.md'), renderSpecMapMarkdown(map));
else process.stdout.write(renderSpecMap(map, args));
