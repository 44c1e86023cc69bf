import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of conversations. They end with the membership of their user. */
export async function createConversations(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'conversations')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull())
    .addColumn('user_id', d.text, (c) => c.notNull())
    .addColumn('title', d.text)
    .addColumn('messages', d.int32, (c) => c.notNull())
    .addColumn('asking_until', d.int64)
    .addColumn('updated_at', d.int64, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addForeignKeyConstraint(
      'conversations_membership',
      ['organization_id', 'user_id'],
      'memberships',
      ['organization_id', 'user_id'],
      (c) => c.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('conversations_owner')
    .on('conversations')
    .columns(['organization_id', 'user_id', 'id'])
    .execute();
  await db.schema.createIndex('conversations_expiry').on('conversations').column('updated_at').execute();
  await d
    .createTable(db, 'messages')
    .addColumn('conversation_id', d.text, (c) =>
      c.notNull().references('conversations.id').onDelete('cascade'),
    )
    .addColumn('id', d.text, (c) => c.notNull())
    .addColumn('role', d.text, (c) => c.notNull())
    .addColumn('content', d.text, (c) => c.notNull())
    .addColumn('citations', d.json)
    .addColumn('model', d.text)
    .addColumn('notice', d.json)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('messages_pkey', ['conversation_id', 'id'])
    .execute();
}
