import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SupervisedWorker, superviseWorker } from '../../../src/app/processes/supervise-worker.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { jobs } from '../../support/jobs/queue.ts';
import { briefTask, suspectTask } from '../../support/jobs/suspect-worker.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const silenceMs = 900;
const journal = join(temporaryFolder(), 'journal');
let database: Awaited<ReturnType<typeof openTestDatabase>>;
let memory: MemoryLog;
let supervised: SupervisedWorker;

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  await writeFile(journal, '');
});
afterAll(async () => {
  await supervised?.stop(0);
  await database.close();
});

async function lines(): Promise<readonly string[]> {
  return (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
}

it('a job that blocks its worker dies alone, and the jobs beside it end well', async () => {
  const { queries } = database;
  for (const name of ['innocent-1', 'innocent-2'])
    await enqueue(queries, suspectTask, { name, ms: 600, blocks: false });
  await enqueue(queries, suspectTask, { name: 'poison', ms: 0, blocks: true });
  memory = memoryLog();
  const program = join(import.meta.dirname, '../../support/jobs/suspect-worker.ts');
  const args = [JSON.stringify(database.options), journal, String(silenceMs)];
  supervised = superviseWorker({
    program,
    args,
    log: memory.log,
    silenceMs,
    backoffMs: { min: 20, max: 60 },
  });

  const states = async () => (await jobs(queries)).map(({ key, state }) => `${key} ${state}`);
  await expect.poll(async () => (await lines()).includes('start poison alone')).toBe(true);
  // The slots of others stay open while the suspect blocks its own process.
  await enqueue(queries, briefTask, { name: 'other', ms: 0, blocks: false });
  await expect.poll(async () => (await lines()).includes('end other beside')).toBe(true);
  await expect.poll(states).toEqual(['poison dead']);

  expect(await jobs(queries)).toMatchObject([
    {
      lost_alone: 2,
      last_error: 'Stopped its worker twice: it did not respond for 0.9 s while this job ran alone.',
    },
  ]);
  const journalled = await lines();
  const count = (line: string) => journalled.filter((each) => each === line).length;
  expect(count('start poison beside')).toBe(1);
  expect(count('start poison alone')).toBe(2);
  for (const name of ['innocent-1', 'innocent-2']) {
    expect(count(`start ${name} alone`)).toBe(1);
    expect(count(`end ${name} alone`)).toBe(1);
  }
  // Its lost processes did not stop the worker.
  expect(memory.lines.filter(({ msg }) => msg === 'worker sent no heartbeat; killing it')).toHaveLength(1);

  // A later job of the same key runs alone from the start, and its success removes the dead one.
  await enqueue(queries, suspectTask, { name: 'poison', ms: 0, blocks: false });
  await expect.poll(states).toEqual([]);
  expect(await lines()).toContain('end poison alone');
});
