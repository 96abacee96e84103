// Lets tests import the store's .sql migrations as text, as the bundler does.
import type { Plugin } from 'vitest/config';

export const sqlAsText = (): Plugin => ({
  name: 'sql-as-text',
  transform: (code, id) => (id.endsWith('.sql') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined),
});
