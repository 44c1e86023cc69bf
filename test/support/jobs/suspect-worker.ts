import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { notifyParent, type ToWorker } from '../../../src/app/processes/process-life.ts';
import { aloneVariable, runInOwnProcess } from '../../../src/app/processes/run-alone.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { handle, type JobContext } from '../../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { runJobs } from '../../../src/foundation/jobs/worker/run-jobs.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A worker process that a job can stop: `blocks` never lets its event loop turn. It starts itself for suspects.
 * Arguments: database options as JSON, journal file, time without a heartbeat in ms.
 */
const payload = z.object({ name: z.string(), ms: z.number(), blocks: z.boolean() });
type Payload = z.infer<typeof payload>;

export const suspectTask = defineTask({ name: 'suspect', payload, key: ({ name }) => name, slots: 'bulk' });
export const briefTask = defineTask({ name: 'brief', payload, key: ({ name }) => name });

const [, script = '', options = '', journal = '', silenceMs = ''] = process.argv;
if (script === import.meta.filename) {
  const isAlone = process.env[aloneVariable] !== undefined;
  setInterval(() => notifyParent({ type: 'heartbeat' }), 50);
  const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
  const work = async ({ name, ms, blocks }: Payload, { signal }: JobContext): Promise<void> => {
    appendFileSync(journal, `start ${name} ${isAlone ? 'alone' : 'beside'}\n`);
    // The heartbeat that the start of the process delayed.
    await sleep(100);
    if (blocks) for (;;);
    await sleep(ms, undefined, { signal });
    appendFileSync(journal, `end ${name} ${isAlone ? 'alone' : 'beside'}\n`);
  };
  const tasks = [handle(suspectTask, work), handle(briefTask, work)];
  const common = { database, clock: systemClock, log: silentLog };
  if (isAlone) {
    process.on('message', (message: ToWorker) => {
      if (message.type !== 'run') return;
      const bound = tasks.find(({ task }) => task.name === message.jobs[0].task);
      if (bound === undefined) throw new Error('unknown task');
      const { signal } = new AbortController();
      const complete = (done: Parameters<typeof completeJobs>[1]) => completeJobs(database, done);
      void runJobs({ ...common, complete }, { bound, jobs: message.jobs, signal }).then(() => process.exit());
    });
  } else {
    const command = { program: script, args: process.argv.slice(2) };
    const runAlone = runInOwnProcess({ ...command, log: silentLog, silenceMs: Number(silenceMs) });
    openWorker({
      ...common,
      tasks,
      concurrency: 3,
      runAlone,
      leaseMs: 1_500,
      heartbeatMs: 300,
      pollMs: 100,
    }).start();
  }
  process.once('disconnect', () => process.exit());
  notifyParent({ type: 'ready' });
}
