import { sql } from 'kysely';
import type { Migration, SchemaDialect, SchemaQueries } from '../src/foundation/db/migration.ts';

/** Browser sessions, invitations, the audit log, and what the authorization server keeps. */
export const signInAndOauth: Migration = {
  id: '0003-sign-in-and-oauth',
  up: async (db, d) => {
    await keys(db, d);
    await signIn(db, d);
    await invitations(db, d);
    await audit(db, d);
    await oauth(db, d);
  },
};

/** A key that was made with a grant opens the grant's organization and no other. */
async function keys(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .addColumn('organization_id', d.text, (c) => c.references('organizations.id').onDelete('cascade'))
    .execute();
}

async function signIn(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'sessions')
    .addColumn('hash', d.text, (c) => c.primaryKey())
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('address', d.text)
    .addColumn('user_agent', d.text)
    .addColumn('last_seen_at', d.int64, (c) => c.notNull())
    .addColumn('expires_at', d.int64, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute();
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();
  await d
    .createTable(db, 'user_identities')
    .addColumn('issuer', d.text, (c) => c.notNull())
    .addColumn('subject', d.text, (c) => c.notNull())
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('user_identities_pkey', ['issuer', 'subject'])
    .execute();
  await db.schema.createIndex('user_identities_user').on('user_identities').column('user_id').execute();
  await d
    .createTable(db, 'attempts')
    .addColumn('key', d.text, (c) => c.primaryKey())
    .addColumn('count', d.int32, (c) => c.notNull())
    .addColumn('resets_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('attempts_reset').on('attempts').column('resets_at').execute();
}

async function invitations(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'invitations')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('email', d.text, (c) => c.notNull())
    .addColumn('role', d.text, (c) => c.notNull())
    .addColumn('hash', d.text, (c) => c.notNull().unique())
    // Null is the host's operator, whose word counts for good: whom nobody stands behind any more is not invited.
    .addColumn('invited_by', d.text, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('expires_at', d.int64, (c) => c.notNull())
    .addColumn('accepted_at', d.int64)
    .addColumn('revoked_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('invitations_organization')
    .on('invitations')
    .columns(['organization_id', 'id'])
    .execute();
  await db.schema.createIndex('invitations_email').on('invitations').column('email').execute();
}

/** No references: what was done stays known when its organization or its people are gone. */
async function audit(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'audit_events')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text)
    .addColumn('actor', d.text, (c) => c.notNull())
    .addColumn('user_id', d.text)
    .addColumn('email', d.text)
    .addColumn('credential', d.text)
    .addColumn('action', d.text, (c) => c.notNull())
    .addColumn('target', d.text)
    .addColumn('details', d.json, (c) => c.notNull())
    .addColumn('address', d.text)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('audit_events_organization')
    .on('audit_events')
    .columns(['organization_id', 'id'])
    .execute();
}

async function oauth(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // A grant that lost its organization is unbound: it is refused with words, not forgotten.
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
}
