import { type CreateTableBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../../../foundation/db/database.ts';
import type { DerivedSchema } from '../../../foundation/db/derived/derived-schema.ts';
import { type SchemaQueries, schemaDialect } from '../../../foundation/db/migrations/migration.ts';

/** `number`: a number that the database counts. A question mark: the value may be null. */
type Column = 'number' | 'int' | 'int64' | 'text' | 'int?' | 'text?';

interface TableShape {
  readonly columns: Readonly<Record<string, Column>>;
  /** The primary key, unless it is a counted number. */
  readonly key?: readonly string[];
  readonly unique?: readonly string[];
  /** Columns of an index by the end of its name. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
}

const link = { src: 'int', kind: 'int', dst: 'int' } as const;
const reason = { reason: 'int', line: 'int', confidence: 'int' } as const;
const content = { shape: 'int?', content: 'text?' } as const;
const place = { prefix: 'int', hash: 'int', rest: 'text', origin: 'int?' } as const;

/**
 * Rows name each other, shared texts and kinds by numbers; `tables.ts` describes them. The order of the columns in each
 * key is that of its reads, and edges in both directions are read from an index alone. No table has a time, so that a
 * rebuilt graph equals the former one.
 */
const tables: Readonly<Record<string, TableShape>> = {
  organizations: {
    columns: { id: 'number', org_id: 'text', sequence: 'int64', edges: 'int64' },
    unique: ['org_id'],
  },
  texts: {
    columns: { id: 'number', org: 'int', hash: 'int', text: 'text', uses: 'int' },
    indexes: { hash: ['org', 'hash'] },
  },
  nodes: {
    columns: { id: 'number', org: 'int', ...place, kind: 'int?', folded: 'text?', ...content },
    indexes: { key: ['prefix', 'hash'], name: ['org', 'kind', 'folded', 'id', 'origin'] },
  },
  units: {
    columns: { id: 'int', repository: 'int', revision: 'text?' },
    key: ['id'],
    indexes: { repository: ['repository'] },
  },
  node_facts: {
    columns: { unit_id: 'int', node_id: 'int', ...content },
    key: ['unit_id', 'node_id'],
    indexes: { node: ['node_id'] },
  },
  edges: {
    columns: { ...link, unit_id: 'int', mention: 'int', ...reason },
    key: ['src', 'kind', 'dst', 'unit_id', 'mention'],
    indexes: {
      reverse: ['dst', 'kind', 'src', 'confidence', 'unit_id', 'reason', 'line'],
      mention: ['mention', 'unit_id'],
    },
  },
  mentions: {
    columns: { alias_id: 'int', unit_id: 'int', src: 'int', kind: 'int', ...reason },
    key: ['alias_id', 'unit_id', 'src', 'kind'],
    indexes: { unit: ['unit_id'], src: ['src'] },
  },
  outbox: {
    columns: { org_id: 'text', sequence: 'int64', src: 'int', kind: 'text', dst: 'int' },
    key: ['org_id', 'sequence', 'src', 'kind', 'dst'],
  },
};

/** The rows that an index contains, if not all. */
const conditions: Readonly<Record<string, string>> = {
  graph_nodes_name: 'kind is not null',
  graph_edges_mention: 'mention <> 0',
};

/** Increase the version with every change of the tables, of what is written into them and of the kinds of the port. */
export const graphSchema: DerivedSchema = {
  name: 'graph',
  version: 6,
  async create(db, dialect) {
    for (const [name, shape] of Object.entries(tables))
      await createTable(db, dialect, `graph_${name}`, shape);
    await createNameIndex(db, dialect);
  },
};

async function createTable(
  db: SchemaQueries,
  dialect: Dialect,
  name: string,
  { columns, key, unique, indexes = {} }: TableShape,
): Promise<void> {
  const d = schemaDialect(dialect);
  let table: CreateTableBuilder<string, string> =
    key === undefined ? d.createNumberedTable(db, name, 'id') : d.createTable(db, name);
  for (const [column, type] of Object.entries(columns)) {
    if (type === 'number') continue;
    const dataType = { int: d.int32, int64: d.int64, text: d.text }[type.replace('?', '') as 'int'];
    table = table.addColumn(column, dataType, (c) => (type.endsWith('?') ? c : c.notNull()));
  }
  if (key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, [...key]);
  if (unique !== undefined) table = table.addUniqueConstraint(`${name}_unique`, [...unique]);
  await table.execute();
  for (const [end, own] of Object.entries(indexes)) {
    const index = db.schema
      .createIndex(`${name}_${end}`)
      .on(name)
      .columns([...own]);
    const condition = conditions[`${name}_${end}`];
    await (condition === undefined ? index : index.where(sql.raw<SqlBool>(condition))).execute();
  }
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
