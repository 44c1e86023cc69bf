import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../../test/support/database/databases.ts';
import { hostEnvironment } from '../../../test/support/database/host-environment.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { listTables } from '../../foundation/db/migrations/schema-history.ts';

const ids = migrations.list.map(({ id }) => id);
const version = ids.at(-1);

async function migrate(database: TestDatabase, ...words: readonly string[]) {
  const env = hostEnvironment(database);
  const { code, stdout, stderr } = await runCli(['migrate', '--json', ...words], { env });
  return { code, json: stdout === '' ? undefined : (JSON.parse(stdout) as unknown), err: stderr };
}

describeEachDatabase('orgctx migrate', (open, dialect) => {
  it('shows pending migrations without changes, applies them, and does nothing when repeated', async () => {
    const database = await open({ empty: true });
    expect(await migrate(database, '--status')).toMatchObject({
      code: 0,
      json: { applied: [], pending: ids, version: null },
    });
    expect(await listTables(database.queries)).toEqual([]);
    expect(await migrate(database)).toMatchObject({ code: 0, json: { applied: ids, pending: [], version } });
    expect(await migrate(database)).toMatchObject({ code: 0, json: { applied: [], pending: [], version } });
    const { stdout } = await runCli(['migrate', '--status'], { env: hostEnvironment(database) });
    expect(stdout).toBe(`schema ${version}, nothing pending\n`);
  });

  itWhen(dialect === 'postgres')(
    'requires the confirmation of a backup before it changes anything',
    async () => {
      const database = await open({ empty: true });
      await sql`create table theirs (id text)`.execute(database.queries);
      const refused = await migrate(database);
      expect(refused).toMatchObject({ code: 2, json: undefined });
      expect(refused.err).toMatch(/--backup-taken/);
      expect(await listTables(database.queries)).toEqual(['theirs']);
      expect(await migrate(database, '--backup-taken')).toMatchObject({ code: 0, json: { applied: ids } });
    },
  );

  it('refuses a newer schema as not configured', async () => {
    const database = await open();
    await sql`insert into schema_migrations (id, checksum, applied_at, app_version)
      values ('9999-later', '', 1, '9.0.0')`.execute(database.queries);
    expect(await migrate(database)).toMatchObject({ code: 3, json: undefined });
    expect(await migrate(database, '--status')).toMatchObject({ code: 3, json: { version: '9999-later' } });
  });
});
