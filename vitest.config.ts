import { defineConfig } from 'vitest/config';
import { sqlAsText } from './test/support/vite-sql.js';

export default defineConfig({
  plugins: [sqlAsText()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/clients/**', '**/node_modules/**'],
    pool: 'threads',
    isolate: false,
    // Most of the time is spent waiting for daemons and clients.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/setup.ts'],
  },
});
