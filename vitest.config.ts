import { defineConfig } from 'vitest/config';

/**
 * Three projects: `unit` (beside the code), `suite` (all of test/ but the end-to-end ones: several parts at
 * once, run from source) and `e2e` (the built program as processes; `npm test` builds first).
 */
export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-setup.ts'],
    setupFiles: ['test/support/remove-temporary-folders.ts', 'test/support/no-network-in-transaction.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Files share a process, and so the modules that they load: those hold no state, and loading them takes longest.
        test: { name: 'unit', include: ['{bin,src,migrations}/**/*.test.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
