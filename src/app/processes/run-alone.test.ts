import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { ClaimedJobs } from '../../foundation/jobs/claim/claimed-job.ts';
import { runInOwnProcess } from './run-alone.ts';

const jobs = [{ id: 'a' }] as unknown as ClaimedJobs;

/** Runs a job in a process that calls `ends` when it has the job. */
function end(ends: string, options: Partial<Parameters<typeof runInOwnProcess>[0]> = {}) {
  const program = join(temporaryFolder(), 'worker.mjs');
  writeFileSync(program, `process.on('message', () => { ${ends} }); process.send({ type: 'ready' });`);
  const run = runInOwnProcess({ program, args: [], log: silentLog, ...options });
  return run(jobs, new AbortController().signal);
}

/** Ends with a signal that the process did not cause. */
const killed = (signal: string) => `process.kill(process.pid, '${signal}');`;

describe('the process of a suspect', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'])('accuses no job if %s ends it', async (signal) => {
    expect(await end(killed(signal))).toEqual({ kind: 'failed', reason: `was ended by ${signal}` });
  });

  it('accuses no job if a second SIGTERM or Ctrl-C interrupts it', async () => {
    expect(await end('process.exit(130);')).toEqual({ kind: 'failed', reason: 'ended with exit code 130' });
  });

  it.each(['SIGABRT', 'SIGSEGV', 'SIGBUS'])('accuses its job if a fault ends it with %s', async (signal) => {
    expect(await end(killed(signal))).toEqual({ kind: 'lost', reason: `was ended by ${signal}` });
  });

  it('accuses its job if it ends with an error', async () => {
    expect(await end('process.exit(7);')).toEqual({ kind: 'lost', reason: 'ended with exit code 7' });
  });

  it('accuses its job for SIGKILL only if the kernel ran out of memory meanwhile, or does not tell', async () => {
    const reason = 'was ended by SIGKILL';
    const counts = (...values: (number | undefined)[]) => ({ oomKills: () => values.shift() });
    expect(await end(killed('SIGKILL'), counts(3, 3))).toEqual({ kind: 'failed', reason });
    expect(await end(killed('SIGKILL'), counts(3, 4))).toEqual({ kind: 'lost', reason });
    expect(await end(killed('SIGKILL'), counts(undefined, undefined))).toEqual({ kind: 'lost', reason });
  });

  it('accuses its job if it is killed because it does not respond', async () => {
    const reason = 'did not respond for 0.6 s';
    const stuck = { silenceMs: 600, oomKills: () => 0 };
    expect(await end('for (;;);', stuck)).toEqual({ kind: 'lost', reason });
  });
});
