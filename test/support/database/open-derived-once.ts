import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { silentLog } from '../silent-log.ts';

/** Opens the derived store in a separate process and writes one mark. Arguments: database options as JSON, the mark. */
const [, , options = '{}', mark = ''] = process.argv;
const derived = await openDerived(JSON.parse(options) as DatabaseOptions, derivedSchemas, silentLog);
await derived.transaction((tx) =>
  tx
    .insertInto('projection_marks')
    .values({ repository_id: mark, commit_id: 'c', projected_at: 1 })
    .execute(),
);
await derived.close();
