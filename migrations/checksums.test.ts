import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Migration } from '../src/foundation/db/migration.ts';
import { migrationChecksum } from '../src/foundation/db/migration-checksum.ts';
import { checksums } from './checksums.ts';
import { migrations } from './index.ts';

it('pins every migration, and nothing but migrations', () => {
  expect(Object.keys(checksums)).toEqual(migrations.map(({ id }) => id));
});

it('numbers migrations without a gap', () => {
  const numbers = migrations.map(({ id }) => Number(/^(\d{4})-[a-z0-9-]+$/.exec(id)?.[1]));
  expect(numbers).toEqual(migrations.map((_, index) => index + 1));
});

it.each(migrations)('$id is as it was released', async (migration) => {
  expect({
    sqlite: await migrationChecksum(migration, 'sqlite'),
    postgres: await migrationChecksum(migration, 'postgres'),
  }).toEqual(checksums[migration.id]);
});

it('notices an edit of one statement or of one value', async () => {
  const [migration] = migrations;
  if (migration === undefined) throw new Error('there is no migration');
  const edited = (more: Migration['up']): Migration => ({
    id: migration.id,
    up: async (db, d) => {
      await migration.up(db, d);
      await more(db, d);
    },
  });
  const indexed = edited((db) => db.schema.createIndex('more').on('jobs').column('task').execute());
  const [one, two] = [1, 2].map((value) =>
    edited(async (db) => void (await sql`update jobs set priority = ${value}`.execute(db))),
  );
  if (one === undefined || two === undefined) throw new Error('two edits were made');
  const sums = await Promise.all(
    [migration, indexed, one, two].map((each) => migrationChecksum(each, 'sqlite')),
  );
  expect(new Set(sums).size).toBe(4);
});
