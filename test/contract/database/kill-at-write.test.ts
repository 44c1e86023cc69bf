import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { killAtEachWrite, runKilledAt } from '../../support/kill/run-killed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const script = join(import.meta.dirname, '../../support/kill/writing-program.ts');

describeEachDatabase('a program killed before its n-th write', (open, dialect) => {
  const prepare = async () => {
    const database = await open({ empty: true });
    await sql`create table probe (n integer)`.execute(database.queries);
    const folder = temporaryFolder();
    return { state: { database, folder }, program: [script, JSON.stringify(database.options), folder] };
  };
  const writes = [
    dialect === 'sqlite' ? 'begin immediate' : 'begin',
    'insert into probe values (1)',
    'insert into probe values (2)',
    'commit',
    'rename draft to final',
    expect.stringMatching(/^git --git-dir=.* init --bare --quiet$/),
    expect.stringMatching(/^after git .* init --bare --quiet$/),
    ...(dialect === 'sqlite' ? ['PRAGMA wal_checkpoint(TRUNCATE)'] : []),
  ];

  it('has done every earlier write and none of the later ones', async () => {
    const deaths: string[] = [];
    const count = await killAtEachWrite(
      prepare,
      async ({ database, folder }, run) => {
        const rows = await sql`select n from probe`.execute(database.queries);
        const traces = {
          committed: rows.rows.length === 2,
          renamed: existsSync(join(folder, 'final')),
          repository: existsSync(join(folder, 'bare.git', 'HEAD')),
          told: existsSync(join(folder, 'finished')),
        };
        expect([0, 2]).toContain(rows.rows.length);
        const seen = Object.entries(traces).flatMap(([name, is]) => (is ? [name] : []));
        if (run.killed) deaths.push(seen.join(' '));
        expect(run.writes).toEqual(run.killed ? writes.slice(0, run.writes.length) : writes);
      },
      { every: true },
    );
    expect(count).toBe(writes.length);
    // Four times nothing: it was killed before begin, before each insert and before the commit.
    const steps = ['', '', '', '', 'committed', 'committed renamed', 'committed renamed repository'];
    const closing = dialect === 'sqlite' ? ['committed renamed repository told'] : [];
    expect(deaths).toEqual([...steps, ...closing]);
  });

  it('exits normally when it has fewer writes, and is never killed at 0', async () => {
    for (const n of [0, 1_000]) {
      const { program } = await prepare();
      expect(await runKilledAt(n, program)).toMatchObject({ killed: false, code: 0, writes });
    }
  });
});
