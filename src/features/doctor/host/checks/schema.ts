import { version } from '../../../../foundation/config/version.ts';
import { schemaStatus } from '../../../../foundation/db/migrations/migrate.ts';
import { fail, pass, type SchemaCheck } from '../check.ts';

export const schemaCheck: SchemaCheck = {
  id: 'schema',
  title: 'Schema',
  async run({ database, migrations, state }) {
    const { pending, version: applied } = await schemaStatus(database, migrations);
    const evidence = { schema: applied, pending: pending.length };
    switch (state) {
      case 'current':
        return pass(`${applied}, the schema of this version.`, evidence);
      case 'newer':
        return fail(
          `${applied} is newer than this program (${version}).`,
          'Install the version that migrated it, or restore an earlier backup.',
          evidence,
        );
      case 'changed':
        return fail(
          'The schema was created by another build of this version.',
          'Install that build, or delete the database and create it again.',
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
