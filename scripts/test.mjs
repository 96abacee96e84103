// `npm test [PATH…]`: install if needed, build, lint, and run the tests. `--bless` rewrites the goldens instead of comparing them.
import { bin, build, ensureInstalled, reporters, run } from './steps.mjs';

const args = process.argv.slice(2);
const bless = args.includes('--bless');
const paths = args.filter((arg) => arg !== '--bless');

ensureInstalled();
build();
if (paths.length === 0) run(bin('biome'), ['check', '--error-on-warnings', '.']);
run(bin('vitest'), ['run', ...reporters(), ...paths], { env: { ...process.env, ...(bless ? { BLESS: '1' } : {}) } });
