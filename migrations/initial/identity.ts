import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of organizations, users and their ways to sign in. */
export async function createIdentity(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await people(db, d);
  await apiKeys(db, d);
  await signIn(db, d);
  await invitations(db, d);
  await auditLog(db, d);
}

async function people(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'organizations')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('slug', d.text, (c) => c.notNull().unique())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'users')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('email', d.text, (c) => c.notNull().unique())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('password_hash', d.text)
    .addColumn('disabled_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'memberships')
    .addColumn('organization_id', d.text, (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('role', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('memberships_pkey', ['organization_id', 'user_id'])
    .execute();
  await db.schema.createIndex('memberships_user').on('memberships').column('user_id').execute();
}

async function apiKeys(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'api_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    // A key made with a grant opens only the organization of the grant. Null opens every organization of the user.
    .addColumn('organization_id', d.text, (c) => c.references('organizations.id').onDelete('cascade'))
    // The ids of the only repositories that the key reads, as a list in JSON. Null: the access of its user.
    .addColumn('repositories', d.text)
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('prefix', d.text, (c) => c.notNull())
    .addColumn('hash', d.text, (c) => c.notNull().unique())
    .addColumn('expires_at', d.int64)
    .addColumn('last_used_at', d.int64)
    .addColumn('revoked_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('api_keys_user').on('api_keys').column('user_id').execute();
}

async function signIn(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'one_time_links')
    .addColumn('hash', d.text, (c) => c.primaryKey())
    .addColumn('purpose', d.text, (c) => c.notNull())
    .addColumn('user_id', d.text, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('expires_at', d.int64, (c) => c.notNull())
    .addColumn('used_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
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
    // Null is the operator of the host. An invitation ends with the user who sent it.
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

/** References no other table: events outlive the organizations and users they name. */
async function auditLog(db: SchemaQueries, d: SchemaDialect): Promise<void> {
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
