import { expect, it } from 'vitest';
import { figures } from '../kill/bars.ts';
import { killWorkers } from '../kill/kill-workers.ts';
import { describeEachDatabase } from '../support/databases.ts';

// Other tests take the machine at the same time: of a longer lease the bar leaves more time beside it.
const options = { jobs: 200, lanes: 20, kills: 8, workers: 4, leaseMs: 6_000 };

/** `npm run test:kill` in small. */
describeEachDatabase('workers that are killed again and again', (open) => {
  it('lose no job, overlap in no lane, and leave each lane to another after its lease', async () => {
    const outcome = await killWorkers(await open(), options);
    expect(figures(outcome, options).filter(({ broken }) => broken)).toEqual([]);
    expect(outcome.executions).toBeGreaterThan(0);
  }, 150_000);
});
