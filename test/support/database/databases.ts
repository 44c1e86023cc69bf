import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, inject, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import type { Database, DatabaseOptions, Dialect } from '../../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { templateDatabase } from './postgres-server.ts';

/** A database of one test; it is deleted after the test file. */
export interface TestDatabase extends Database {
  /** Options to open the same database from another connection or process. */
  readonly options: DatabaseOptions;
}

export type OpenTestDatabase = (options?: { readonly empty?: boolean }) => Promise<TestDatabase>;

/**
 * Runs the same suite on SQLite and on Postgres. `open` returns a fresh migrated database (`empty`: without tables) and
 * closes it after the test, or after the suite if it was opened in `beforeAll`. Without a Postgres server its suite is
 * skipped. A project of `vitest.config.ts` may run one of them only.
 */
export function describeEachDatabase(
  name: string,
  body: (open: OpenTestDatabase, dialect: Dialect) => void,
): void {
  const only = process.env['ORGCTX_TEST_DATABASE'];
  const dialects = (['sqlite', 'postgres'] as const).filter((each) => only === undefined || each === only);
  for (const dialect of dialects) {
    describe.skipIf(dialect === 'postgres' && !hasPostgres())(`${name} (${dialect})`, () => {
      const opened: TestDatabase[] = [];
      let ofSuite = 0;
      const closeFrom = async (first: number): Promise<void> => {
        for (const database of opened.splice(first)) await database.close();
      };
      beforeEach(() => {
        ofSuite = opened.length;
      });
      afterEach(() => closeFrom(ofSuite));
      afterAll(() => closeFrom(0));
      body(async (options) => {
        const database = await openTestDatabase(dialect, options);
        opened.push(database);
        return database;
      }, dialect);
    });
  }
}

/** Returns `it` if the case applies to the dialect; otherwise the case does not exist and is not counted as skipped. */
export function itWhen(
  applies: boolean,
): (name: string, body: () => Promise<void>, timeout?: number) => void {
  return applies ? it : () => undefined;
}

export function hasPostgres(): boolean {
  return inject('postgresBroker') !== null;
}

/** Opens a fresh database that the caller must close; `describeEachDatabase` closes its databases itself. */
export async function openTestDatabase(
  dialect: Dialect,
  { empty = false }: { readonly empty?: boolean } = {},
): Promise<TestDatabase> {
  return dialect === 'sqlite' ? openSqlite(empty) : openPostgres(empty);
}

async function openSqlite(empty: boolean): Promise<TestDatabase> {
  const file = join(temporaryFolder(), 'orgctx.db');
  if (!empty) await writeFile(file, await migratedFile(), { mode: 0o600 });
  const options: DatabaseOptions = { dialect: 'sqlite', file };
  return closedOnce(await openDatabase(options, silentLog), options);
}

let migrated: Promise<Buffer> | undefined;

/** Returns the bytes of a migrated SQLite file: migrating once for each process is faster than once for each test. */
function migratedFile(): Promise<Buffer> {
  migrated ??= migrateFile();
  return migrated;
}

async function migrateFile(): Promise<Buffer> {
  const file = join(temporaryFolder(), 'template.db');
  const database = await openDatabase({ dialect: 'sqlite', file }, silentLog);
  await migrateToLatest(database, { migrations, log: silentLog });
  await database.close();
  return readFile(file);
}

async function openPostgres(empty: boolean): Promise<TestDatabase> {
  const server = await postgresUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name} template ${empty ? 'template0' : templateDatabase}`);
  const url = new URL(server);
  url.pathname = name;
  const options: DatabaseOptions = {
    dialect: 'postgres',
    url: url.href,
    poolSize: 4,
    applicationName: 'orgctx-test',
  };
  const database = await openDatabase(options, silentLog);
  return closedOnce(database, options, () => onServer(server, `drop database ${name} with (force)`));
}

function closedOnce(
  database: Database,
  options: DatabaseOptions,
  remove?: () => Promise<void>,
): TestDatabase {
  let closing: Promise<void> | undefined;
  return {
    ...database,
    options,
    close: () => {
      closing ??= database.close().then(remove);
      return closing;
    },
  };
}

/** Returns the URL of the test server's maintenance database; the first call starts the server. */
export async function postgresUrl(): Promise<string> {
  const broker = inject('postgresBroker');
  if (broker === null) throw new Error('this host has no Postgres server');
  const response = await fetch(broker);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
