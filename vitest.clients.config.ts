import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'threads',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
