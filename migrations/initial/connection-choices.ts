import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the table of what people chose in the wizard before it takes effect. */
export async function createConnectionChoices(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'connection_choices')
    .addColumn('connection_id', d.text, (c) =>
      c.primaryKey().references('connections.id').onDelete('cascade'),
    )
    .addColumn('organization_id', d.text, (c) => c.notNull())
    .addColumn('choices', d.json, (c) => c.notNull())
    .addColumn('revision', d.int32, (c) => c.notNull())
    .addColumn('changed_by', d.text)
    .addColumn('changed_at', d.int64, (c) => c.notNull())
    .execute();
}
