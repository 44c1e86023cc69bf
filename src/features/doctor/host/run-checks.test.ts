import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../../migrations/index.ts';
import { hasPostgres, openTestDatabase } from '../../../../test/support/database/databases.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { loadConfig } from '../../../foundation/config/load-config.ts';
import { openDatabase } from '../../../foundation/db/open-database.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { diskCheck } from './checks/disk.ts';
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
    migrations,
    openDatabase: async () => database,
    onError: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}

describe('runHostChecks', () => {
  it('reports a check that throws as failed, without the message of an unexpected error', async () => {
    const errors: unknown[] = [];
    const report = await runHostChecks(
      await optionsFor({
        openDatabase: () => Promise.reject(new TypeError('postgres://ada:hunter2@host')),
        onError: (check, error) => errors.push([check, String(error)]),
      }),
    );
    expect(report.status).toBe('failed');
    expect(JSON.stringify(report)).toContain('The check failed with an unexpected error (TypeError).');
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(errors).toEqual([['database', 'TypeError: postgres://ada:hunter2@host']]);
  });

  it.skipIf(!hasPostgres())('reports a check that does not end as failed after its time-out', async () => {
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
      onError: () => release.resolve(),
    });
    const { checks } = await runHostChecks(options);
    expect(checks.find(({ id }) => id === 'queue')).toMatchObject({
      status: 'fail',
      message: 'No answer within 300 ms.',
    });
    await locked;
    await locker.close();
  });

  it('rejects with the reason of an abort', async () => {
    const options = await optionsFor({ signal: AbortSignal.abort(new Error('interrupted')) });
    await expect(runHostChecks(options)).rejects.toThrow('interrupted');
  });
});

describe('the check of the disk', () => {
  it.skipIf(!existsSync('/dev/shm'))(
    'names the fuller disk, of the data folder and the database',
    async () => {
      // Temporary folders may lie in memory, too.
      const [one, other] = ['/', '/dev/shm'];
      const { host } = await optionsFor({});
      const pathOf = async (dataDir: string, folder: string) => {
        const config = {
          ...host.config,
          dataDir,
          database: { dialect: 'sqlite', file: `${folder}/a.db` } as const,
        };
        return (await diskCheck.run({ ...host, config })).evidence?.['path'];
      };
      expect(await pathOf(one, other)).toBe(await pathOf(other, one));
    },
  );
});

describe('judgeDisk', () => {
  it.each([
    [255 * mebibyte, 'fail'],
    [256 * mebibyte, 'warning'],
    [2_047 * mebibyte, 'warning'],
    [2_048 * mebibyte, 'pass'],
  ])('for %d free bytes returns %s', (free, status) => {
    expect(judgeDisk('/srv', free)).toMatchObject({ status, evidence: { freeBytes: free } });
  });
});
