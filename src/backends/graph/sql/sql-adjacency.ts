import { type RawBuilder, sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import {
  type Adjacency,
  type DescribedLink,
  type Link,
  type LinkQuery,
  linkId,
  nodeOf,
  type StoredNode,
} from '../adjacency.ts';
import { compareReasons } from './clean-facts.ts';
import { type GraphQueries, givenIds, givenTexts, textList } from './graph-tables.ts';

/** Reads nodes and edges for traversals; one statement for any number of nodes. */
export function sqlAdjacency(graph: GraphQueries): Adjacency {
  const { queries, dialect, tables } = graph;
  return {
    nodesByKey: async ({ organizationId }, keys) => {
      const { rows } = await sql<StoredNode>`
        select node.id, node.key, node.kind, node.name, node.props
        from ${givenTexts(dialect, keys)} cross join ${tables.nodes} as node
        where node.org_id = ${organizationId} and node.key = given.text and node.kind is not null`.execute(
        queries,
      );
      const found = new Map(rows.map((row) => [row.key, row]));
      return [...new Set(keys)].flatMap((key) => found.get(key) ?? []).map(nodeOf);
    },
    nodesById: async ({ organizationId }, ids) => {
      if (ids.length === 0) return [];
      const { rows } = await sql<StoredNode>`
        select node.id, node.key, node.kind, node.name, node.props
        from ${givenIds(dialect, ids)} cross join ${tables.nodes} as node
        where node.id = given.id and node.org_id = ${organizationId} and node.kind is not null`.execute(
        queries,
      );
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => found.get(id) ?? []).map(nodeOf);
    },
    links: (_scope, ids, query) => readLinks(graph, ids, query),
    describe: (_scope, links) => describeLinks(graph, links),
  };
}

async function readLinks(
  { queries, dialect, tables }: GraphQueries,
  ids: readonly number[],
  { direction, kinds, minConfidence, perNode }: LinkQuery,
): Promise<readonly Link[]> {
  const [at, other] = direction === 'out' ? ['src', 'dst'] : ['dst', 'src'];
  const ofKinds = kinds === undefined ? sql`` : sql`and edge.kind in ${textList(dialect, kinds)}`;
  // Several units may assert one edge; the index has them next to each other, so the limit ends the read early.
  const limited = (node: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select edge.kind as kind, edge.${sql.raw(other)} as other from ${tables.edges} as edge
    where edge.${sql.raw(at)} = ${node} ${ofKinds} and edge.confidence >= ${minConfidence}
    group by edge.kind, edge.${sql.raw(other)} order by edge.kind, edge.${sql.raw(other)} limit ${perNode}`;
  const linkOf = (id: number, kind: string, end: number): Link =>
    direction === 'out' ? { src: id, kind, dst: end } : { src: end, kind, dst: id };
  if (dialect === 'postgres') {
    const { rows } = await sql<{ id: number; kind: string; other: number }>`
      select given.id, edge.kind, edge.other from ${givenIds(dialect, ids)}
      cross join lateral (${limited(sql`given.id`)}) as edge`.execute(queries);
    const byNode = Map.groupBy(rows, ({ id }) => id);
    return ids.flatMap((id) => byNode.get(id) ?? []).map(({ id, kind, other: end }) => linkOf(id, kind, end));
  }
  // SQLite has no lateral joins. A list as JSON takes one row for each node.
  const { rows } = await sql<{ id: number; links: string }>`
    select given.id, (select json_group_array(json_array(kind, other)) from (${limited(sql`given.id`)})) as links
    from ${givenIds(dialect, ids)}`.execute(queries);
  return rows.flatMap(({ id, links }) =>
    (JSON.parse(links) as [string, number][]).map(([kind, end]) => linkOf(id, kind, end)),
  );
}

interface ReasonRow extends Link {
  readonly rule: string;
  readonly evidence: string;
  readonly confidence: number;
  readonly owner: string;
  readonly revision: string;
}

/** Returns the best reason of each link that exists, with the keys of its ends. */
export async function describeLinks(
  { queries, dialect, tables }: GraphQueries,
  links: readonly Link[],
): Promise<readonly DescribedLink[]> {
  if (links.length === 0) return [];
  const given = givenRows(
    dialect,
    { src: 'bigint', kind: 'text', dst: 'bigint' },
    links.map(({ src, kind, dst }) => ({ src, kind, dst })),
  );
  const { rows } = await sql<ReasonRow>`
    select edge.src, edge.kind, edge.dst, edge.rule, edge.evidence, edge.confidence, unit.owner, unit.revision
    from ${given} cross join ${tables.edges} as edge cross join ${tables.units} as unit
    where edge.src = given.src and edge.kind = given.kind and edge.dst = given.dst and unit.id = edge.unit_id`.execute(
    queries,
  );
  const best = new Map<string, ReasonRow>();
  for (const row of rows) {
    const id = linkId(row);
    const known = best.get(id);
    const order = known === undefined ? -1 : compareReasons(row, known);
    if (known === undefined || order < 0 || (order === 0 && row.owner < known.owner)) best.set(id, row);
  }
  const ids = [...new Set(links.flatMap(({ src, dst }) => [src, dst]))];
  const { rows: keys } = await sql<{ id: number; key: string }>`
    select node.id, node.key from ${givenIds(dialect, ids)} cross join ${tables.nodes} as node
    where node.id = given.id`.execute(queries);
  const keyOf = new Map(keys.map(({ id, key }) => [id, key]));
  return links.flatMap((link) => {
    const row = best.get(linkId(link));
    const [from, to] = [keyOf.get(link.src), keyOf.get(link.dst)];
    if (row === undefined || from === undefined || to === undefined) return [];
    const { kind, rule, evidence, confidence, owner, revision } = row;
    return [{ link, edge: { from, kind, to, rule, evidence, confidence, owner, revision } }];
  });
}
