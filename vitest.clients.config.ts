import { defineConfig } from 'vitest/config';
import { sqlAsText } from './test/support/vite-sql.js';

export default defineConfig({
  plugins: [sqlAsText()],
  test: {
    include: ['test/clients/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'threads',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
