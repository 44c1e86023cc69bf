import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase } from '../../../../test/support/databases.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { loadConfig } from '../../../foundation/config/load-config.ts';
import { openDatabase } from '../../../foundation/db/open-database.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { judgeAttendance } from './checks/judge-attendance.ts';
import { judgeDisk } from './checks/judge-disk.ts';

import { type DoctorOptions, runHostChecks } from './run-checks.ts';

const mebibyte = 1024 * 1024;

async function optionsFor(more: Partial<DoctorOptions>): Promise<DoctorOptions> {
  const folder = temporaryFolder();
  const database = await openTestDatabase('sqlite');
  const file = database.options.dialect === 'sqlite' ? database.options.file : '';
  const env = { DATA_DIR: folder, DATABASE_URL: `sqlite:${file}` };
  const { config, secrets } = loadConfig({ env, cwd: folder, homeDir: folder });
  return {
    host: { config, secrets, clock: systemClock },
    openDatabase: async () => database,
    onFault: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}

describe('a check that goes wrong', () => {
  it('and throws is a failed check; the words of a foreign error stay out of the report', async () => {
    const faults: unknown[] = [];
    const report = await runHostChecks(
      await optionsFor({
        openDatabase: () => Promise.reject(new TypeError('postgres://ada:hunter2@host')),
        onFault: (check, error) => faults.push([check, String(error)]),
      }),
    );
    expect(report.status).toBe('failed');
    expect(JSON.stringify(report)).toContain('It could not be looked at (TypeError).');
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(faults).toEqual([['database', 'TypeError: postgres://ada:hunter2@host']]);
  });

  it.skipIf(!hasPostgres())('and does not end is given up after its time', async () => {
    const database = await openTestDatabase('postgres');
    const locker = await openDatabase(database.options, silentLog);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locked = locker.transaction(async (tx) => {
      await sql`lock table jobs in access exclusive mode`.execute(tx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const options = await optionsFor({
      openDatabase: async () => database,
      timeoutMs: 300,
      onFault: () => release.resolve(),
    });
    const { checks } = await runHostChecks(options);
    expect(checks.find(({ id }) => id === 'queue')).toMatchObject({
      status: 'fail',
      message: 'No answer within 300 ms.',
    });
    await locked;
    await locker.close();
  });

  it('ends with the reason of an abort', async () => {
    const options = await optionsFor({ signal: AbortSignal.abort(new Error('interrupted')) });
    await expect(runHostChecks(options)).rejects.toThrow('interrupted');
  });
});

describe('the disk', () => {
  it.each([
    [255 * mebibyte, 'fail'],
    [256 * mebibyte, 'warning'],
    [2_047 * mebibyte, 'warning'],
    [2_048 * mebibyte, 'pass'],
  ])('with %d bytes free is: %s', (free, status) => {
    expect(judgeDisk('/srv', free)).toMatchObject({ status, evidence: { freeBytes: free } });
  });
});

describe('a worker', () => {
  const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

  it.each([
    ['was there at the last time of the hourly schedule', '10:17:00', '11:16:59', 'pass'],
    ['may be a little late for the next', '10:17:00', '11:22:00', 'pass'],
    ['is missed after that', '10:17:00', '11:22:01', 'warning'],
    ['has missed a time is told just after another one as well', '09:17:00', '11:18:00', 'warning'],
    ['that came in between is seen as well', '10:50:00', '11:16:59', 'pass'],
    ['ahead of this clock is no fault', '11:17:00', '11:16:59', 'pass'],
  ])('that %s', (_what, attended, now, status) => {
    expect(judgeAttendance(at(attended), at(now))).toMatchObject({ status });
  });
});
