// `npm run quickstart`: install, build, and the demonstration.
import { bin, ensureInstalled, root, run } from './steps.mjs';

const say = (text) => process.stderr.write(`${text}\n`);

say('installing (native packages may take a minute)');
ensureInstalled();
say('building');
run(bin('tsc'), ['-b', 'src/core']);
run(process.execPath, ['scripts/bundle.mjs']);
run(process.execPath, [`${root}/dist/harness/harness.js`, 'demo', ...process.argv.slice(2)]);
