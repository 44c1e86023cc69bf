import { mkdirSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { spawnGit } from '../../../src/foundation/git/process/spawn-git.ts';
import { silentLog } from '../silent-log.ts';

/** A minimal program with writes of every kind. Arguments: database options as JSON, a folder. */
const [, , options = '', folder = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
await database.transaction(async (tx) => {
  await sql`insert into probe values (1)`.execute(tx);
  await sql`select * from probe`.execute(tx);
  await sql`insert into probe values (2)`.execute(tx);
});
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'draft'), '');
await rename(join(folder, 'draft'), join(folder, 'final'));
const git = spawnGit(join(folder, 'bare.git'), ['init', '--bare', '--quiet']);
git.child.stdin.end();
git.child.stdout.resume();
await git.ended;
writeFileSync(join(folder, 'finished'), '');
await database.close();
