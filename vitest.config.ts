import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { smallForks } from './test/support/run/small-forks.ts';

/**
 * Tests that measure the memory, the threads or the event loop of their process, or replace a module. They get a
 * process of their own; all other files share one, which saves loading the modules again for each file.
 */
const ownProcess = [
  'src/app/open/open-model.test.ts',
  'src/backends/codesearch/embedded/read/shared-garbage.test.ts',
  'src/backends/codesearch/embedded/segment/segment-builder.test.ts',
  'src/backends/languages/lines/hostile-lines.test.ts',
  'src/backends/codesearch/embedded/thread/*.test.ts',
  'src/backends/codesearch/embedded/writer/plan-update.test.ts',
  'src/surfaces/http/api-reference/*.test.ts',
  'test/attack/webhook-memory.test.ts',
];

/**
 * Suites that only `npm run test:long` runs: they take more than 20 seconds or kill processes at every step, or need a
 * program that is not always there. Each folder keeps the suites that show most in little time in `npm test`.
 */
const longOnly = [
  'test/attack/git/writing{,-killed}.test.ts',
  'test/contract/codesearch/{crash,killed,service}.test.ts',
  'test/contract/codesearch/zoekt{,-answers,-exactness,-index}.test.ts',
  'test/contract/connectors/{doctor,intake-errors,refusals,setup,wizard}.test.ts',
  'test/contract/database/migrate-killed.test.ts',
  'test/contract/git/{providers,push-token,writing}.test.ts',
  'test/contract/graph/{cited-commits,neo4j,projection}.test.ts',
  'test/contract/http/repositories-resume.test.ts',
  'test/contract/jobs/{kill-workers,processes,suspect-processes}.test.ts',
  'test/contract/mirror/{branch,errors,failures,mirror}.test.ts',
  'test/contract/oncall/{convergence,sync-cost}.test.ts',
  'test/contract/tracker/{convergence,sync-comparison,sync-failures,sync-recovery,sync-scope}.test.ts',
  'test/e2e/benches/smallest.test.ts',
  'test/e2e/cli/{login,remote,second-terminal}.test.ts',
  'test/e2e/doctor/*.test.ts',
  'test/e2e/{codesearch-service,connector,first-connection,intake-kill}.test.ts',
  'test/e2e/{package,postgres,quickstart,stopped-answer,telemetry,worker-kill}.test.ts',
  'test/e2e/oauth/*.test.ts',
  'test/e2e/pages/*.test.ts',
  'test/e2e/secrets/nowhere.test.ts',
];

/** Suites of which `npm test` runs a sample of the generated cases, and `npm run test:long` all. */
const sampled = [
  'test/attack/http.test.ts',
  'test/contract/codesearch/exactness.test.ts',
  'test/contract/jobs/errors.test.ts',
  'test/contract/secrets/rotate.test.ts',
  'test/contract/tracker/bad-input.test.ts',
];

/** Unit tests of which `npm test` runs a sample of the generated cases. */
const sampledUnit = ['src/features/knowledge/projection/repository-files.test.ts'];

const unit = ['{bin,src,migrations}/**/*.test.ts'];
const e2e = ['test/e2e/**/*.test.ts'];
/**
 * Suites of surfaces, of kills, and of whole ways such as from a record to a commit. `npm test` runs them on SQLite and
 * `npm run test:long` on Postgres, as it does the unit tests: the contracts of what they store run on both anyway.
 */
const surfaces = [
  'test/attack/**/*.test.ts',
  'test/contract/{graph/{interfaces,packages,workspaces},http/*,mirror/*,oauth/*}.test.ts',
  'test/contract/{connectors,oncall,tracker}/**/*.test.ts',
  'test/contract/telemetry/trace.test.ts',
  ...sampled,
];
const apart = [...longOnly, ...ownProcess];
/** Files with suites for both databases, of which `npm test` runs only those for SQLite. */
const alsoOnPostgres = globSync([...unit, ...surfaces, ...e2e], { exclude: [...apart, ...sampled] }).filter(
  (path) => readFileSync(path, 'utf8').includes('describeEachDatabase('),
);
const sqlite = { ORGCTX_TEST_DATABASE: 'sqlite' };

/** `npm test` runs the projects whose names do not begin with `long`; `npm run test:long` runs the others. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/database/postgres-setup.ts'],
    setupFiles: [
      'test/support/run/remove-temporary-folders.ts',
      'test/support/run/no-network-in-transaction.ts',
      'test/support/run/seeded-tests.ts',
    ],
    isolate: false,
    pool: smallForks,
    // Tests wait for processes, disks and timers for about a third of their time.
    maxWorkers: 3,
    // A busy machine delays everything; a test that hangs waits this long, one that passes does not.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: unit, exclude: ownProcess, env: sqlite } },
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: [...e2e, ...surfaces, ...apart],
        },
      },
      {
        extends: true,
        test: { name: 'surfaces', include: surfaces, exclude: apart, env: sqlite },
      },
      { extends: true, test: { name: 'own-process', include: ownProcess, isolate: true } },
      {
        extends: true,
        test: { name: 'e2e', include: e2e, exclude: longOnly, env: sqlite },
      },
      {
        extends: true,
        test: {
          name: 'long-postgres',
          include: alsoOnPostgres,
          env: { ORGCTX_TEST_DATABASE: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [...longOnly, ...sampled, ...sampledUnit],
          env: { ORGCTX_TEST_LONG: 'true' },
          testTimeout: 900_000,
        },
      },
    ],
  },
});
