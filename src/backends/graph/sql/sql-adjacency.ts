import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../../foundation/db/database.ts';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import {
  type Adjacency,
  type DescribedLink,
  type Link,
  type LinkQuery,
  linkId,
  type NumberedNode,
} from '../adjacency.ts';
import { type EdgeFact, type GraphEdge, type GraphPart, originOfKey } from '../port.ts';
import type { NumberedLink } from './batch-changes.ts';
import { compareReasons } from './clean-facts.ts';
import { type GraphQueries, givenIds, organizationNumber } from './graph-tables.ts';
import { edgeKindNumber, edgeKindNumbers, edgeKindOf } from './kind-numbers.ts';
import {
  keysOfNodes,
  type NodeRow,
  nodeColumns,
  nodesOfKeys,
  nodesWithTexts,
  numberedNode,
  originNumbers,
} from './node-rows.ts';
import { splitKey, unpackReason } from './packed-text.ts';
import { linkColumns } from './write-edges.ts';

/** Reads nodes and edges of a part of the graph for traversals; one statement for any number of nodes. */
export function sqlAdjacency(graph: GraphQueries, part: GraphPart = {}): Adjacency {
  const { queries, dialect, tables } = graph;
  const isInPart = (key: string): boolean => {
    const origin = originOfKey(key);
    return origin === undefined || part.origins?.includes(origin) !== false;
  };
  return {
    nodesByKey: async ({ organizationId }, keys) => {
      const rows = (await nodesOfKeys(graph, organizationId, keys)).filter(
        ({ kind, prefix, rest }) => kind !== null && isInPart(prefix + rest),
      );
      const found = new Map(rows.map(numberedNode).map((node) => [node.key, node]));
      return [...new Set(keys)].flatMap((key) => found.get(key) ?? []);
    },
    nodesById: async ({ organizationId }, ids) => {
      if (ids.length === 0) return [];
      const { rows } = await sql<NodeRow>`
        select ${nodeColumns} from ${givenIds(dialect, ids)} cross join ${nodesWithTexts(tables)}
        where node.id = given.id and node.org = ${organizationNumber(tables, organizationId)}
          and node.kind is not null and prefix.id = node.prefix`.execute(queries);
      const found = new Map(rows.map((row) => [row.id, numberedNode(row)]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    links: (scope, ids, query) => readLinks(graph, scope, ids, { ...query, origins: part.origins }),
    describe: (scope, links) => describeLinks(graph, scope, links, part),
  };
}

/** Returns the condition on `edge`, whose other end is not given. */
function isFollowed(
  graph: GraphQueries,
  { organizationId }: DataScope,
  other: 'src' | 'dst',
  { kinds, minConfidence, origins }: Pick<LinkQuery, 'kinds' | 'minConfidence'> & GraphPart,
): RawBuilder<unknown> {
  const { tables } = graph;
  // For a list of one kind, SQLite reads the index in order; -1 is no kind.
  const numbers = kinds && edgeKindNumbers(kinds);
  const ofKinds =
    numbers === undefined
      ? sql``
      : sql`and edge.kind in (${sql.join((numbers.length > 0 ? numbers : [-1]).map((number) => sql.lit(number)))})`;
  const own = origins && originNumbers(graph, organizationId, origins);
  const ofOrigins =
    own === undefined
      ? sql``
      : sql`and (select unit.repository from ${tables.units} as unit where unit.id = edge.unit_id) in ${own}
        and exists (select 1 from ${tables.nodes} as node where node.id = edge.${sql.raw(other)}
          and (node.origin is null or node.origin in ${own}))`;
  return sql`${ofKinds} and edge.confidence >= ${minConfidence} ${ofOrigins}`;
}

/** A link with a reason why it exists. */
export interface ReasonedLink extends Link, Pick<EdgeFact, 'rule' | 'evidence' | 'confidence'> {}

/** A node without its content. */
export type KeyedNode = Pick<NumberedNode, 'id' | 'key'>;

/** Maximum number of reads of links that other transactions change meanwhile. */
const maxTries = 3;
/** The packed reason of a link whose text is gone after all tries: without rule and evidence. */
const noReason = '["",""]';

/** The texts of reasons by their numbers: many links have one of a few. */
export type ReasonTexts = Map<number, string>;

/**
 * Reads links to nodes in the given order, which must be that of their numbers, at most `limit`. One that several units
 * assert comes with the reason of each. `texts` holds the texts of former calls, and gets those that are read.
 */
export async function linksInto(
  graph: GraphQueries,
  scope: DataScope,
  nodes: readonly KeyedNode[],
  {
    limit,
    texts,
    ...query
  }: Pick<LinkQuery, 'kinds' | 'minConfidence'> &
    GraphPart & { readonly limit: number; readonly texts: ReasonTexts },
): Promise<readonly ReasonedLink[]> {
  const { queries, dialect, tables } = graph;
  const keys = new Map(nodes.map(({ id, key }) => [id, key]));
  // The index has all columns: to join the texts would read one for each row.
  const read = sql<NumberedLink & { reason: number; line: number; confidence: number }>`
    select edge.src, edge.kind, edge.dst, edge.reason, edge.line, edge.confidence
    from ${givenIds(dialect, [...keys.keys()])} cross join ${tables.edges} as edge
    where edge.dst = given.id ${isFollowed(graph, scope, 'src', query)}
    ${inOrder(dialect, 'dst')} limit ${limit}`;
  for (let tries = 1; ; tries++) {
    const { rows } = await read.execute(queries);
    await readTexts(graph, new Set(rows.map(({ reason }) => reason)), texts);
    // Another transaction has changed a link after it was read.
    if (tries < maxTries && rows.some(({ reason }) => !texts.has(reason))) continue;
    return rows.map(({ src, kind, dst, reason: id, line, confidence }) => {
      const reason = texts.get(id) ?? noReason;
      const { rule, evidence } = unpackReason({ reason, line }, keys.get(dst) ?? '');
      return { src, kind: edgeKindOf(kind), dst, confidence, rule, evidence };
    });
  }
}

/** Adds the texts with the given numbers that are not known yet. */
async function readTexts(
  { queries, dialect, tables }: GraphQueries,
  ids: ReadonlySet<number>,
  known: ReasonTexts,
): Promise<void> {
  const unknown = [...ids].filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const { rows } = await sql<{ id: number; text: string }>`
    select shared.id, shared.text from ${givenIds(dialect, unknown)} cross join ${tables.texts} as shared
    where shared.id = given.id`.execute(queries);
  for (const { id, text } of rows) known.set(id, text);
}

/** Returns the numbers of the nodes to which links from nodes lead, at most `limit`. */
export async function endsOfLinks(
  graph: GraphQueries,
  scope: DataScope,
  ids: readonly number[],
  { limit, ...query }: Pick<LinkQuery, 'kinds' | 'minConfidence'> & GraphPart & { readonly limit: number },
): Promise<readonly number[]> {
  const { queries, dialect, tables } = graph;
  const { rows } = await sql<Pick<Link, 'dst'>>`
    select edge.dst from ${givenIds(dialect, ids)} cross join ${tables.edges} as edge
    where edge.src = given.id ${isFollowed(graph, scope, 'dst', query)}
    ${inOrder(dialect, 'src')} limit ${limit}`.execute(queries);
  return rows.map(({ dst }) => dst);
}

/** Returns the end of a statement that reads the edges of nodes; SQLite reads them in the order of its index. */
function inOrder(dialect: Dialect, end: 'src' | 'dst'): RawBuilder<unknown> {
  return dialect === 'postgres' ? sql`order by ${sql.raw(`edge.${end}, edge.kind`)}` : sql``;
}

async function readLinks(
  graph: GraphQueries,
  scope: DataScope,
  ids: readonly number[],
  { direction, perNode, ...query }: LinkQuery & GraphPart,
): Promise<readonly Link[]> {
  const { queries, dialect, tables } = graph;
  const [at, other] = direction === 'out' ? (['src', 'dst'] as const) : (['dst', 'src'] as const);
  // Several units may assert one edge; the index has them next to each other, so the limit ends the read early.
  const limited = (node: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select edge.kind as kind, edge.${sql.raw(other)} as other from ${tables.edges} as edge
    where edge.${sql.raw(at)} = ${node} ${isFollowed(graph, scope, other, query)}
    group by edge.kind, edge.${sql.raw(other)} order by edge.kind, edge.${sql.raw(other)} limit ${perNode}`;
  const linkOf = (id: number, number: number, end: number): Link => {
    const kind = edgeKindOf(number);
    return direction === 'out' ? { src: id, kind, dst: end } : { src: end, kind, dst: id };
  };
  if (dialect === 'postgres') {
    const { rows } = await sql<{ id: number; kind: number; other: number }>`
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
    (JSON.parse(links) as [number, number][]).map(([kind, end]) => linkOf(id, kind, end)),
  );
}

interface ReasonRow extends NumberedLink {
  readonly unit_id: number;
  readonly reason: string;
  readonly line: number;
  readonly confidence: number;
  readonly revision: string | null;
}

/** Returns the best reason of each link that exists in a part of the graph, with the keys of its ends. */
export async function describeLinks(
  graph: GraphQueries,
  { organizationId }: DataScope,
  links: readonly Link[],
  { origins }: GraphPart = {},
): Promise<readonly DescribedLink[]> {
  if (links.length === 0) return [];
  const { queries, dialect, tables } = graph;
  const given = links.map(({ src, kind, dst }) => ({ src, kind: edgeKindNumber(kind), dst }));
  const { rows } = await sql<ReasonRow>`
    select edge.src, edge.kind, edge.dst, edge.unit_id, reason.text as reason, edge.line,
      edge.confidence, unit.revision
    from ${givenRows(dialect, linkColumns, given)} cross join ${tables.edges} as edge
    cross join ${tables.texts} as reason cross join ${tables.units} as unit
    where edge.src = given.src and edge.kind = given.kind and edge.dst = given.dst and reason.id = edge.reason
      and unit.id = edge.unit_id
      ${origins === undefined ? sql`` : sql`and unit.repository in ${originNumbers(graph, organizationId, origins)}`}`.execute(
    queries,
  );
  const ids = new Set(rows.flatMap(({ src, dst, unit_id }) => [src, dst, unit_id]));
  const keys = await keysOfNodes(graph, [...ids]);
  const best = new Map<string, GraphEdge>();
  for (const row of rows) {
    const [from, to, owner] = [keys.get(row.src), keys.get(row.dst), keys.get(row.unit_id)];
    // Another transaction has removed it.
    if (from === undefined || to === undefined || owner === undefined) continue;
    const { confidence } = row;
    const kind = edgeKindOf(row.kind);
    const revision = row.revision ?? splitKey(owner)[1];
    const edge = { from, kind, to, ...unpackReason(row, to), confidence, owner, revision };
    const id = linkId({ ...row, kind });
    const known = best.get(id);
    const order = known === undefined ? -1 : compareReasons(edge, known);
    if (known === undefined || order < 0 || (order === 0 && owner < known.owner)) best.set(id, edge);
  }
  return links.flatMap((link) => {
    const edge = best.get(linkId(link));
    return edge === undefined ? [] : [{ link, edge }];
  });
}
