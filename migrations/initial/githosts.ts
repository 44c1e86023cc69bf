import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of connections to Git hosts and of the SSH keys of organizations. */
export async function createGithosts(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // An organization with connections cannot be deleted: their secrets must be deleted first.
  await d
    .createTable(db, 'githost_connections')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('fields', d.json, (c) => c.notNull())
    .addColumn('url', d.text, (c) => c.notNull())
    .addColumn('api_url', d.text, (c) => c.notNull())
    .addColumn('installation_id', d.text)
    .addColumn('account', d.json)
    .addColumn('error', d.json)
    .addColumn('setup_state', d.text)
    .addColumn('setup_state_issued_at', d.int64)
    .addColumn('setup_installation_id', d.text)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('githost_connections_name', ['organization_id', 'name'])
    .execute();
  // One installation of an App belongs to one organization.
  await db.schema
    .createIndex('githost_connections_installation')
    .unique()
    .on('githost_connections')
    .columns(['kind', 'api_url', 'installation_id'])
    .where(sql<boolean>`installation_id is not null`)
    .execute();
  await db.schema
    .createIndex('githost_connections_setup_state')
    .unique()
    .on('githost_connections')
    .column('setup_state')
    .where(sql<boolean>`setup_state is not null`)
    .execute();
  await d
    .createTable(db, 'ssh_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull().unique().references('organizations.id'))
    .addColumn('public_key', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
}
