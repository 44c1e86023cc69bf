import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of the authorization server. */
export async function createOauth(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // A grant whose organization was deleted stays, unbound, so that its client gets a meaningful error.
  await d
    .createTable(db, 'oauth_grants')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', d.text, (c) => c.references('organizations.id').onDelete('set null'))
    .addColumn('client_id', d.text, (c) => c.notNull())
    .addColumn('client_name', d.text, (c) => c.notNull())
    .addColumn('scopes', d.text, (c) => c.notNull())
    .addColumn('last_used_at', d.int64)
    .addColumn('expires_at', d.int64, (c) => c.notNull())
    .addColumn('revoked_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('oauth_grants_user').on('oauth_grants').columns(['user_id', 'id']).execute();
  await db.schema
    .createIndex('oauth_grants_organization')
    .on('oauth_grants')
    .column('organization_id')
    .execute();
  await d
    .createTable(db, 'oauth_objects')
    .addColumn('key', d.text, (c) => c.primaryKey())
    .addColumn('model', d.text, (c) => c.notNull())
    .addColumn('payload', d.text, (c) => c.notNull())
    .addColumn('grant_id', d.text)
    .addColumn('user_code', d.text)
    .addColumn('claimed_by', d.text)
    .addColumn('consumed_at', d.int64)
    .addColumn('expires_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  const index = (column: 'grant_id' | 'user_code' | 'expires_at') =>
    db.schema
      .createIndex(`oauth_objects_${column}`)
      .on('oauth_objects')
      .column(column)
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  await index('grant_id');
  await index('user_code');
  await index('expires_at');
  await d
    .createTable(db, 'oauth_signing_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('sealed_jwk', d.text, (c) => c.notNull())
    .addColumn('signs_from', d.int64, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'oauth_document_reads')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('asked', d.text, (c) => c.notNull())
    .addColumn('read_at', d.int64)
    .addColumn('withdrawn_until', d.int64)
    .execute();
}
