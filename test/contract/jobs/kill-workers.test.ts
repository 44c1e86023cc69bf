import { expect, it } from 'vitest';
import { killWorkers } from '../../kill/kill-workers.ts';
import { figures } from '../../kill/thresholds.ts';
import { createRandom } from '../../support/connectors/random.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { testSeed } from '../../support/run/seed.ts';

// Other tests load the machine at the same time. A longer lease leaves more time before the limit of the median; single
// recoveries may take longer. Jobs in a lane that is never released are not done.
const options = {
  jobs: 1_000,
  lanes: 20,
  kills: 40,
  workers: 4,
  leaseMs: 6_000,
  maxRecovery: 5,
};

/** `npm run test:kill` at a small scale. */
describeEachDatabase('workers that are killed repeatedly', (open) => {
  it('lose no job, do not overlap in a lane, and release each lane after its lease', async () => {
    const outcome = await killWorkers(await open(), { ...options, random: createRandom(testSeed()) });
    expect(figures(outcome, options).filter(({ broken }) => broken)).toEqual([]);
    expect(outcome.executions).toBeGreaterThan(0);
  });
});
