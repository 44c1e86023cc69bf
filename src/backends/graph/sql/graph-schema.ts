import { sql } from 'kysely';
import type { Dialect } from '../../../foundation/db/database.ts';
import type { DerivedSchema } from '../../../foundation/db/derived/derived-schema.ts';
import { type SchemaQueries, schemaDialect } from '../../../foundation/db/migrations/migration.ts';

/**
 * The tables of the knowledge graph. Increase the version with every change of them or of what is written into them.
 * Rows name each other, shared texts and kinds by numbers. The order of the columns in each key is that of its reads;
 * edges in both directions are read from an index alone. No table has a time, so that a rebuilt graph equals the former
 * one.
 */
export const graphSchema: DerivedSchema = {
  name: 'graph',
  version: 4,
  async create(db, dialect) {
    await createOrganizations(db, dialect);
    await createNodes(db, dialect);
    await createEdges(db, dialect);
    await createNameIndex(db, dialect);
  },
};

async function createOrganizations(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createNumberedTable(db, 'graph_organizations', 'id')
    .addColumn('org_id', d.text, (c) => c.notNull().unique())
    .addColumn('sequence', d.int64, (c) => c.notNull())
    .addColumn('edges', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'graph_outbox')
    .addColumn('org_id', d.text, (c) => c.notNull())
    .addColumn('sequence', d.int64, (c) => c.notNull())
    .addColumn('src', d.int64, (c) => c.notNull())
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('dst', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('graph_outbox_key', ['org_id', 'sequence', 'src', 'kind', 'dst'])
    .execute();
  await d
    .createNumberedTable(db, 'graph_texts', 'id')
    .addColumn('org', d.int64, (c) => c.notNull())
    .addColumn('hash', d.int64, (c) => c.notNull())
    .addColumn('text', d.text, (c) => c.notNull())
    .addColumn('uses', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('graph_texts_hash').on('graph_texts').columns(['org', 'hash']).execute();
}

async function createNodes(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createNumberedTable(db, 'graph_nodes', 'id')
    .addColumn('org', d.int64, (c) => c.notNull())
    .addColumn('prefix', d.int64, (c) => c.notNull())
    .addColumn('rest', d.text, (c) => c.notNull())
    .addColumn('repository', d.int64)
    .addColumn('kind', d.int32)
    .addColumn('folded', d.text)
    .addColumn('shape', d.int64)
    .addColumn('content', d.text)
    .addUniqueConstraint('graph_nodes_key', ['prefix', 'rest'])
    .execute();
  await db.schema
    .createIndex('graph_nodes_name')
    .on('graph_nodes')
    .columns(['org', 'kind', 'folded', 'id'])
    .where(sql.ref('kind'), 'is not', null)
    .execute();
  await d
    .createTable(db, 'graph_units')
    .addColumn('id', d.int64, (c) => c.primaryKey())
    .addColumn('repository', d.int64, (c) => c.notNull())
    .addColumn('revision', d.text)
    .execute();
  await db.schema.createIndex('graph_units_repository').on('graph_units').column('repository').execute();
  await d
    .createTable(db, 'graph_node_facts')
    .addColumn('unit_id', d.int64, (c) => c.notNull())
    .addColumn('node_id', d.int64, (c) => c.notNull())
    .addColumn('shape', d.int64)
    .addColumn('content', d.text)
    .addPrimaryKeyConstraint('graph_node_facts_key', ['unit_id', 'node_id'])
    .execute();
  await db.schema.createIndex('graph_node_facts_node').on('graph_node_facts').column('node_id').execute();
}

async function createEdges(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createTable(db, 'graph_edges')
    .addColumn('src', d.int64, (c) => c.notNull())
    .addColumn('kind', d.int32, (c) => c.notNull())
    .addColumn('dst', d.int64, (c) => c.notNull())
    .addColumn('unit_id', d.int64, (c) => c.notNull())
    .addColumn('mention', d.int64, (c) => c.notNull())
    .addColumn('reason', d.int64, (c) => c.notNull())
    .addColumn('line', d.int64, (c) => c.notNull())
    .addColumn('confidence', d.int32, (c) => c.notNull())
    .addPrimaryKeyConstraint('graph_edges_key', ['src', 'kind', 'dst', 'unit_id', 'mention'])
    .execute();
  const indexes = db.schema;
  await indexes
    .createIndex('graph_edges_reverse')
    .on('graph_edges')
    .columns(['dst', 'kind', 'src', 'confidence'])
    .execute();
  await indexes
    .createIndex('graph_edges_mention')
    .on('graph_edges')
    .columns(['mention', 'unit_id'])
    .where(sql.ref('mention'), '<>', 0)
    .execute();
  await d
    .createTable(db, 'graph_mentions')
    .addColumn('alias_id', d.int64, (c) => c.notNull())
    .addColumn('unit_id', d.int64, (c) => c.notNull())
    .addColumn('src', d.int64, (c) => c.notNull())
    .addColumn('kind', d.int32, (c) => c.notNull())
    .addColumn('reason', d.int64, (c) => c.notNull())
    .addColumn('line', d.int64, (c) => c.notNull())
    .addColumn('confidence', d.int32, (c) => c.notNull())
    .addPrimaryKeyConstraint('graph_mentions_key', ['alias_id', 'unit_id', 'src', 'kind'])
    .execute();
  await indexes.createIndex('graph_mentions_unit').on('graph_mentions').column('unit_id').execute();
  await indexes.createIndex('graph_mentions_src').on('graph_mentions').column('src').execute();
}

/**
 * Creates the index of the words in names. The program splits names into terms, so that both dialects find the same. In
 * the `ascii` tokenizer of FTS5 every other character is part of a term, in any script.
 */
async function createNameIndex(db: SchemaQueries, dialect: Dialect): Promise<void> {
  if (dialect === 'sqlite') {
    await sql`create virtual table graph_terms using fts5(
      terms, tokenize = 'ascii', content = '', columnsize = 0, detail = none)`.execute(db);
    return;
  }
  await db.schema.alterTable('graph_nodes').addColumn('terms', sql`tsvector`).execute();
  await db.schema.createIndex('graph_nodes_terms').on('graph_nodes').using('gin').column('terms').execute();
}
