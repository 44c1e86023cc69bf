import { type RawBuilder, sql } from 'kysely';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { FeedNode, FeedPlace, GraphFeed } from '../feed.ts';
import { foldName } from '../name-terms.ts';
import { originOfKey } from '../port.ts';
import type { NumberedLink } from './batch-changes.ts';
import { givenIds, graphQueries, organizationNumber } from './graph-tables.ts';
import { edgeKindOf } from './kind-numbers.ts';
import { type NodeRow, nodeColumns, nodesWithTexts, numberedNode } from './node-rows.ts';
import { readOrganization } from './open-graph-reader.ts';
import { describeLinks } from './sql-adjacency.ts';

function feedNode(row: NodeRow): FeedNode {
  const { id, key, kind, name, props } = numberedNode(row);
  const origin = originOfKey(key) ?? null;
  return row.kind === null
    ? { id, key, kind: null, name: null, folded: null, origin: null, props: null }
    : { id, key, kind, name, folded: foldName(name), origin, props: JSON.stringify(props) };
}

/** Maximum number of changes that one statement deletes. */
const maxForgotten = 10_000;

/** Opens what a copy of the graph reads. Changes are kept only by a writer with an outbox. */
export function openGraphFeed(database: DerivedDatabase): GraphFeed {
  const { queries, dialect } = database;
  const graph = graphQueries(database);
  const { tables } = graph;
  const run = async <Row>(statement: RawBuilder<unknown>): Promise<readonly Row[]> => {
    const { rows } = await statement.execute(queries);
    return rows as Row[];
  };
  return {
    organizations: async () => {
      const rows = await run<{ org_id: OrganizationId }>(
        sql`select org_id from ${tables.organizations} order by org_id`,
      );
      return rows.map(({ org_id }) => org_id);
    },
    position: async (scope) => {
      const { store_id: storeId } = await queries
        .selectFrom('derived_version')
        .select('store_id')
        .executeTakeFirstOrThrow();
      const { sequence } = await readOrganization(graph, scope);
      return { storeId, sequence };
    },
    counts: async (scope) => {
      const { edges } = await readOrganization(graph, scope);
      const [counted] = await run<{ count: number }>(
        sql`select count(*) as count from ${tables.nodes} where org = ${organizationNumber(tables, scope.organizationId)}`,
      );
      return { edges, nodes: counted?.count ?? 0 };
    },
    changesAfter: (scope, { sequence, src, kind, dst }, limit) =>
      run<FeedPlace>(sql`
        select sequence, src, kind, dst from ${tables.outbox}
        where org_id = ${scope.organizationId} and (sequence, src, kind, dst) > (${sequence}, ${src}, ${kind}, ${dst})
        order by sequence, src, kind, dst limit ${limit}`),
    forget: async ({ organizationId }, upTo) => {
      for (let deleted = maxForgotten; deleted === maxForgotten; ) {
        deleted = await database.transaction(async (tx) => {
          const { numAffectedRows } = await sql`
            delete from ${tables.outbox} where (org_id, sequence, src, kind, dst) in (
              select org_id, sequence, src, kind, dst from ${tables.outbox}
              where org_id = ${organizationId} and sequence <= ${upTo} limit ${maxForgotten})`.execute(tx);
          return Number(numAffectedRows ?? 0);
        });
      }
    },
    nodes: async ({ organizationId }, ids) => {
      const rows = await run<NodeRow>(sql`
        select ${nodeColumns} from ${givenIds(dialect, ids)} cross join ${nodesWithTexts(tables)}
        where node.id = given.id and node.org = ${organizationNumber(tables, organizationId)}
          and prefix.id = node.prefix`);
      return rows.map(feedNode);
    },
    edges: (scope, links) => describeLinks(graph, scope, links),
    nodesAfter: async ({ organizationId }, id, limit) => {
      const rows = await run<NodeRow>(sql`
        select ${nodeColumns} from ${nodesWithTexts(tables)}
        where node.org = ${organizationNumber(tables, organizationId)} and node.id > ${id}
          and prefix.id = node.prefix order by node.id limit ${limit}`);
      return rows.map(feedNode);
    },
    edgesFrom: async (scope, ids) => {
      const links = await run<NumberedLink>(sql`
        select distinct edge.src, edge.kind, edge.dst
        from ${givenIds(dialect, ids)} cross join ${tables.edges} as edge where edge.src = given.id`);
      return describeLinks(
        graph,
        scope,
        links.map(({ src, kind, dst }) => ({ src, kind: edgeKindOf(kind), dst })),
      );
    },
  };
}
