import { sql } from 'kysely';
import type { Queries } from '../../src/foundation/db/database.ts';
import { dialectOf } from '../../src/foundation/db/dialect.ts';
import type { Work } from './tasks.ts';

/** A row that a job writes; `n` is the number of the job. */
export interface Effect {
  readonly n: number;
  readonly lane: string;
  readonly fence: number;
  readonly entity: string | null;
  readonly version: number | null;
}

export async function createEffects(queries: Queries): Promise<void> {
  const id =
    dialectOf(queries) === 'sqlite'
      ? sql`integer primary key autoincrement`
      : sql`integer generated always as identity primary key`;
  await sql`create table effects (id ${id}, n integer not null, lane text not null, fence integer not null,
    entity text, version integer)`.execute(queries);
}

export async function recordEffect(tx: Queries, work: Work, fence: number): Promise<void> {
  await sql`insert into effects (n, lane, fence, entity, version)
    values (${work.n}, ${work.lane}, ${fence}, ${work.entity ?? null}, ${work.version ?? null})`.execute(tx);
}

export async function readEffects(queries: Queries): Promise<readonly Effect[]> {
  return (await sql<Effect>`select n, lane, fence, entity, version from effects order by id`.execute(queries))
    .rows;
}
