import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DatabaseOptions, Queries } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A second process that writes the same rows. Arguments: database options as JSON, number of rounds, and mode:
 * `deadlock` locks two rows in the order b, a; `serializable` reads one and writes the other; `count` increments one.
 * Prints a line when it is ready, starts on a line of input, and prints the number of finished rounds.
 */
const [, , options = '{}', rounds = '1', mode = 'count'] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.pause();
const add = (tx: Queries, id: string) => sql`update counters set n = n + 1 where id = ${id}`.execute(tx);
const modes: Record<string, (tx: Queries) => Promise<unknown>> = {
  count: (tx) => add(tx, 'a'),
  deadlock: async (tx) => {
    await add(tx, 'b');
    await sleep(5);
    await add(tx, 'a');
  },
  serializable: async (tx) => {
    await sql`set transaction isolation level serializable`.execute(tx);
    await sql`select sum(n) from counters`.execute(tx);
    await sleep(2);
    await add(tx, 'b');
  },
};
for (let round = 0; round < Number(rounds); round += 1) await database.transaction((tx) => modes[mode]!(tx));
await database.close();
process.stdout.write(`${rounds}\n`);
