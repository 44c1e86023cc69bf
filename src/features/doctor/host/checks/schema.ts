import { version } from '../../../../foundation/config/version.ts';
import { schemaStatus } from '../../../../foundation/db/migrate.ts';
import { fail, pass, type SchemaCheck } from '../check.ts';

export const schemaCheck: SchemaCheck = {
  id: 'schema',
  title: 'Schema',
  async run({ database, state }) {
    const { pending, version: applied } = await schemaStatus(database);
    const evidence = { schema: applied, pending: pending.length };
    switch (state) {
      case 'current':
        return pass(`${applied}, the one of this version.`, evidence);
      case 'newer':
        return fail(
          `${applied} is newer than this program (${version}).`,
          'Install the version that migrated it, or restore a backup made before.',
          evidence,
        );
      case 'older':
      case 'empty':
        return fail(
          state === 'empty' ? 'The database is empty.' : `${pending.length} migrations are pending.`,
          'Run "orgctx migrate"; "orgctx migrate --status" shows what is pending.',
          evidence,
        );
    }
  },
};
