import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { AssertedFact, GraphNode } from '../port.ts';
import type { GraphQueries } from './graph-tables.ts';
import { kindOfKey } from './kind-numbers.ts';
import { mergeFacts } from './merge-facts.ts';
import { nodesOfKeys } from './node-rows.ts';
import { unpackNode } from './packed-text.ts';

/** Returns nodes as some units assert them. A node that none of its units asserts is left out. */
export async function readAsserted(
  graph: GraphQueries,
  { organizationId }: DataScope,
  facts: readonly AssertedFact[],
): Promise<readonly GraphNode[]> {
  if (facts.length === 0) return [];
  const { queries, dialect, tables } = graph;
  const keys = [...new Set(facts.flatMap(({ owner, key }) => [owner, key]))];
  const rows = await nodesOfKeys(graph, organizationId, keys);
  const byKey = new Map(rows.map((row) => [row.prefix + row.rest, row]));
  const pairs = new Map<string, { unit_id: number; node_id: number }>();
  for (const { owner, key } of facts) {
    // The number of a unit is that of the node with its key.
    const [unit, node] = [byKey.get(owner)?.id, byKey.get(key)?.id];
    if (unit !== undefined && node !== undefined)
      pairs.set(`${unit} ${node}`, { unit_id: unit, node_id: node });
  }
  const columns = { unit_id: 'bigint', node_id: 'bigint' } as const;
  const { rows: found } = await sql<{ node_id: number; shape: string; content: string }>`
    select distinct fact.node_id, shared.text as shape, coalesce(fact.content, node.content) as content
    from ${givenRows(dialect, columns, [...pairs.values()])} cross join ${tables.node_facts} as fact
    cross join ${tables.nodes} as node cross join ${tables.texts} as shared
    where fact.unit_id = given.unit_id and fact.node_id = given.node_id and node.id = fact.node_id
      and shared.id = coalesce(fact.shape, node.shape)`.execute(queries);
  const contents = Map.groupBy(found, ({ node_id }) => node_id);
  return [...byKey].flatMap(([key, { id }]) => {
    const merged = mergeFacts((contents.get(id) ?? []).map((packed) => unpackNode(key, packed)));
    return merged === undefined ? [] : { key, kind: kindOfKey(key), ...merged };
  });
}
