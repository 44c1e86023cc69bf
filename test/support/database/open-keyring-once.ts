import { once } from 'node:events';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { KeySettings } from '../../../src/foundation/secrets/ensure-keyring.ts';
import { openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import { silentLog } from '../silent-log.ts';

/**
 * Opens the keys of connection secrets in a separate process. Prints `ready`, waits for input, then opens the keyring
 * and prints key id and canary. Arguments: database options and key settings as JSON.
 */
const [, , options = '{}', keys = '{}'] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const settings = { formerConnectionKeys: [], ...(JSON.parse(keys) as object) } as unknown as KeySettings;
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const { keyId, canary } = await openKeyring(database, settings, clock);
await database.close();
process.stdout.write(`${JSON.stringify({ keyId, canary })}\n`);
process.stdin.destroy();
