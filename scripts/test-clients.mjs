// `npm run test:clients`: installs the real agent CLIs from their own lockfile and drives them, in a network namespace that has
// nothing but a loopback interface, against a scripted model server.
import { join } from 'node:path';
import { bin, build, ensureInstalled, reporters, root, run } from './steps.mjs';

ensureInstalled();
ensureInstalled(join(root, 'test', 'clients'));
build();
run('bash', [
  join(root, 'test', 'clients', 'loopback.sh'),
  bin('vitest'),
  'run',
  '--config',
  'vitest.clients.config.ts',
  ...reporters(),
  ...process.argv.slice(2),
]);
