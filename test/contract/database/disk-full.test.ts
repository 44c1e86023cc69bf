import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { runJobs } from '../../../src/foundation/jobs/worker/run-jobs.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestHttp } from '../../support/http/http-server.ts';
import { openRegistrationServer, publicClient } from '../../support/identity/registering.ts';
import { brief, claimed, jobs } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

/** Makes inserts into a table fail as on a full disk: SQLite gets no further page, Postgres raises the error. */
async function fillDisk({ queries, dialect }: TestDatabase, table = 'repositories'): Promise<void> {
  if (dialect === 'postgres') {
    await sql`
      create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(queries);
    await sql`create trigger full_disk before insert on ${sql.table(table)} execute function full_disk()`.execute(
      queries,
    );
    return;
  }
  await sql`create table filler (bytes blob)`.execute(queries);
  await sql`pragma max_page_count = 1`.execute(queries);
}

async function freeDisk({ queries, dialect }: TestDatabase): Promise<void> {
  if (dialect === 'postgres') await sql`drop trigger full_disk on repositories`.execute(queries);
  else await sql`pragma max_page_count = 1000000`.execute(queries);
}

describeEachDatabase('a full disk', (open) => {
  it('is answered with 503 disk_full, logged as such, and the service works again once there is space', async () => {
    const database = await open();
    const http = await openTestHttp(database);
    let added = 0;
    const add = () => {
      added += 1;
      const payload = { source: `https://git.example/team/${'x'.repeat(200)}/${added}` };
      return http.call({ method: 'POST', url: '/acme/api/v1/repositories', as: 'admin', payload });
    };
    await fillDisk(database);
    // SQLite still uses the space in the pages that it has.
    let answer = await add();
    while (answer.statusCode === 201) answer = await add();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '60']);
    expect(answer.json()).toMatchObject({
      code: 'disk_full',
      detail: expect.stringContaining('Free some space'),
    });
    expect(http.logged.join('')).toContain('disk_full');
    expect(http.logged.join('')).not.toContain('rollback');
    expect((await http.call({ url: '/acme/api/v1/repositories' })).statusCode).toBe(200);
    await freeDisk(database);
    expect((await add()).statusCode).toBe(201);
    await http.server.close();
  });

  it('is answered with 503 by the authorization server, which says when to try again', async () => {
    const database = await open();
    const server = await openRegistrationServer(database);
    await fillDisk(database, 'oauth_objects');
    // SQLite still uses the space in the pages that it has.
    let answer = await server.register(publicClient);
    while (answer.status === 201) answer = await server.register(publicClient);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect(answer.json).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('Free some space'),
    });
  });

  it('does not use up the attempts of a job', async () => {
    const database = await open();
    await enqueue(database.queries, brief, { id: 'a' });
    await database.queries.updateTable('jobs').set({ attempts: 1 }).execute();
    const job = await claimed(database);
    const full = handle(brief, async () => {
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    });
    const complete = (done: Parameters<typeof completeJobs>[1]) => completeJobs(database, done);
    await runJobs(
      { database, clock: systemClock, log: silentLog, complete },
      { bound: full, jobs: [job], signal: new AbortController().signal },
    );
    expect(await jobs(database.queries)).toMatchObject([
      { state: 'ready', attempts: 1, last_error: expect.stringContaining('disk of the service is full') },
    ]);
  });
});
