import { type RawBuilder, sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { NumberedNode } from '../adjacency.ts';
import { type GraphQueries, type GraphTables, givenIds, organizationNumber } from './graph-tables.ts';
import { kindOfKey } from './kind-numbers.ts';
import { splitKey, textHash, unpackNode } from './packed-text.ts';

/** A node with its shared texts. All but the key is null while nobody asserts it. */
export interface NodeRow {
  readonly id: number;
  readonly prefix: string;
  readonly rest: string;
  readonly kind: number | null;
  readonly shape: string | null;
  readonly content: string | null;
}

/** The columns of a `NodeRow`, from `nodesWithTexts`. */
export const nodeColumns = sql.raw(
  'node.id, prefix.text as prefix, node.rest, node.kind, shape.text as shape, node.content',
);

/**
 * Returns the tables `node`, `prefix` and `shape` for the end of a `from` clause. SQLite reads the tables of a cross
 * join in the given order; otherwise it may read all nodes of an organization and look each one up in a list. The
 * statement needs `prefix.id = node.prefix`.
 */
export function nodesWithTexts({ nodes, texts }: GraphTables): RawBuilder<unknown> {
  return sql`${nodes} as node cross join ${texts} as prefix left join ${texts} as shape on shape.id = node.shape`;
}

/** Reads a row. The name of a node that nobody asserts is empty. */
export function numberedNode({ id, prefix, rest, shape, content }: NodeRow): NumberedNode {
  const key = prefix + rest;
  const asserted =
    shape !== null && content !== null ? unpackNode(key, { shape, content }) : { name: '', props: {} };
  return { id, key, kind: kindOfKey(key), ...asserted };
}

/** Returns the numbers of the origins as a statement, for `in`. */
export function originNumbers(
  { dialect, tables }: GraphQueries,
  organizationId: string,
  origins: readonly string[],
): RawBuilder<unknown> {
  const given = origins.map((text) => ({ hash: textHash(text), text }));
  return sql`(select shared.id from ${givenRows(dialect, { hash: 'bigint', text: 'text' }, given)}
    cross join ${tables.texts} as shared
    where shared.org = ${organizationNumber(tables, organizationId)} and shared.hash = given.hash
      and shared.text = given.text)`;
}

/** Returns the nodes with the given keys, also those that nobody asserts. */
export async function nodesOfKeys(
  { queries, dialect, tables }: GraphQueries,
  organizationId: string,
  keys: readonly string[],
): Promise<readonly NodeRow[]> {
  const given = keys.map((key) => {
    const [text, rest] = splitKey(key);
    return { hash: textHash(text), text, rest_hash: textHash(rest), rest };
  });
  const types = { hash: 'bigint', text: 'text', rest_hash: 'bigint', rest: 'text' } as const;
  const { rows } = await sql<NodeRow>`
    select ${nodeColumns} from ${givenRows(dialect, types, given)}
    cross join ${tables.texts} as prefix cross join ${tables.nodes} as node
    left join ${tables.texts} as shape on shape.id = node.shape
    where prefix.org = ${organizationNumber(tables, organizationId)} and prefix.hash = given.hash
      and prefix.text = given.text and node.prefix = prefix.id
      and node.hash = given.rest_hash and node.rest = given.rest`.execute(queries);
  return rows;
}

/** Returns the keys of nodes by number. */
export async function keysOfNodes(
  { queries, dialect, tables }: GraphQueries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; prefix: string; rest: string }>`
    select node.id, prefix.text as prefix, node.rest from ${givenIds(dialect, ids)}
    cross join ${tables.nodes} as node cross join ${tables.texts} as prefix
    where node.id = given.id and prefix.id = node.prefix`.execute(queries);
  return new Map(rows.map(({ id, prefix, rest }) => [id, prefix + rest]));
}
