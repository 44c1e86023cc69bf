import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import { ensureKeyring, type KeySettings } from '../../../src/foundation/secrets/ensure-keyring.ts';
import { rotateSecrets } from '../../../src/foundation/secrets/rotate-secrets.ts';
import { silentLog } from '../silent-log.ts';

/** Runs one rotation in slices of two in a separate process. Arguments: database options and key settings as JSON. */
const [, , options = '{}', keys = '{}'] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const settings = { formerConnectionKeys: [], ...(JSON.parse(keys) as object) } as unknown as KeySettings;
const keyring = await ensureKeyring(database.queries, settings, clock);
const rotation = await rotateSecrets({ database, clock, sliceSize: 2 }, keyring);
await database.close();
process.stdout.write(JSON.stringify(rotation));
