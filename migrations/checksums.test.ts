import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Migration } from '../src/foundation/db/migrations/migration.ts';
import { migrationChecksum } from '../src/foundation/db/migrations/migration-checksum.ts';
import { checksums } from './checksums.ts';
import { migrations } from './index.ts';

const ids = migrations.list.map(({ id }) => id);
const pinned = Object.keys(checksums);

it('pins every migration of a release', () => {
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  const isReleased = /^## \[\d+\.\d+\.\d+\]/m.test(changelog);
  const unreleased = /^## \[Unreleased\]([^]*?)(?=^## \[|$(?![^]))/m.exec(changelog)?.[1] ?? '';
  const released = isReleased ? ids.filter((id) => !unreleased.includes(id)) : [];
  expect(pinned).toEqual(released);
});

it('numbers migrations without a gap', () => {
  const numbers = ids.map((id) => Number(/^(\d{4})-[a-z0-9-]+$/.exec(id)?.[1]));
  expect(numbers).toEqual(ids.map((_, index) => index + 1));
});

it('keeps each pinned migration as it was released', async () => {
  for (const migration of migrations.list.slice(0, pinned.length)) {
    expect({
      sqlite: await migrationChecksum(migration, 'sqlite'),
      postgres: await migrationChecksum(migration, 'postgres'),
    }).toEqual(checksums[migration.id]);
  }
});

it('detects an edit of one statement or of one value', async () => {
  const [migration] = migrations.list;
  if (migration === undefined) throw new Error('there is no migration');
  const edited = (more: Migration['up']): Migration => ({
    id: migration.id,
    up: async (db, d) => {
      await migration.up(db, d);
      await more(db, d);
    },
  });
  const indexed = edited((db) => db.schema.createIndex('more').on('jobs').column('task').execute());
  const prioritized = [1, 2].map((value) =>
    edited(async (db) => void (await sql`update jobs set priority = ${value}`.execute(db))),
  );
  const sums = await Promise.all(
    [migration, indexed, ...prioritized].map((each) => migrationChecksum(each, 'sqlite')),
  );
  expect(new Set(sums).size).toBe(4);
});
