import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../test/support/databases.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { listTables } from '../foundation/db/schema-history.ts';
import { runCommandLine } from './frame/run-command-line.ts';

const ids = migrations.map(({ id }) => id);
const version = ids.at(-1);

const commands = {
  migrate: { summary: 'migrate', load: async () => (await import('./migrate.ts')).migrateCommand },
};

async function migrate(database: TestDatabase, ...words: readonly string[]) {
  const { options } = database;
  const folder = temporaryFolder();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
  const code = await runCommandLine(['migrate', '--json', ...words], {
    commands,
    streams: { stdin: Readable.from([]), stdout, stderr },
    env: { DATA_DIR: folder, DATABASE_URL: url, AUTH_SECRET: 'x'.repeat(40) },
    cwd: folder,
    homeDir: folder,
    signal: new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const [out, err] = [await text(stdout), await text(stderr)];
  return { code, json: out === '' ? undefined : (JSON.parse(out) as unknown), err };
}

describeEachDatabase('orgctx migrate', (open, dialect) => {
  it('shows what is pending without changing anything, applies it, and has nothing to do again', async () => {
    const database = await open({ empty: true });
    expect(await migrate(database, '--status')).toMatchObject({
      code: 0,
      json: { applied: [], pending: ids, version: null },
    });
    expect(await listTables(database.queries)).toEqual([]);
    expect(await migrate(database)).toMatchObject({ code: 0, json: { applied: ids, pending: [], version } });
    expect(await migrate(database)).toMatchObject({ code: 0, json: { applied: [], pending: [], version } });
  });

  itWhen(dialect === 'postgres')(
    'wants the word that a backup exists before it changes anything',
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
