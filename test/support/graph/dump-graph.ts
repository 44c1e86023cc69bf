import { sql } from 'kysely';
import { graphTables } from '../../../src/backends/graph/sql/graph-tables.ts';
import { edgeKindOf } from '../../../src/backends/graph/sql/kind-numbers.ts';
import { splitKey, unpackNode, unpackReason } from '../../../src/backends/graph/sql/packed-text.ts';
import type { GraphEdgeRow, GraphMentionRow } from '../../../src/backends/graph/sql/tables.ts';
import type { DerivedDatabase } from '../../../src/foundation/db/derived/open-derived.ts';

/**
 * Returns the whole graph of an organization as ordered lines, without the numbers of its rows, so that two graphs with
 * the same facts have the same dump. It has the shared texts and how many rows name each, too.
 */
export async function dumpGraph(
  { queries, dialect }: DerivedDatabase,
  organizationId: string,
): Promise<readonly string[]> {
  const t = graphTables(dialect);
  const read = async <Row>(statement: ReturnType<typeof sql>): Promise<readonly Row[]> =>
    (await statement.execute(queries)).rows as Row[];
  const [organization] = await read<{ id: number; edges: number }>(
    sql`select id, edges from ${t.organizations} where org_id = ${organizationId}`,
  );
  if (organization === undefined) return [];
  const shared = await read<{ id: number; text: string; uses: number }>(
    sql`select id, text, uses from ${t.texts} where org = ${organization.id}`,
  );
  const textOf = new Map(shared.map(({ id, text }) => [id, text]));
  const text = (id: number | null): string => textOf.get(id ?? 0) ?? `no text ${id}`;
  const nodes = await read<NodeLine>(sql`select * from ${t.nodes} where org = ${organization.id}`);
  const keyOf = new Map(nodes.map(({ id, prefix, rest }) => [id, text(prefix) + rest]));
  const key = (id: number): string => keyOf.get(id) ?? `no node ${id}`;
  const contentOf = (id: number, { shape, content }: Content) =>
    content === null ? 'as the node' : unpackNode(key(id), { shape: text(shape), content });
  const units = await read<{ id: number; repository: number; revision: string | null }>(
    sql`select * from ${t.units} where id in (select id from ${t.nodes} where org = ${organization.id})`,
  );
  const own = sql`unit_id in (select id from ${t.nodes} where org = ${organization.id})`;
  const facts = await read<Content & { unit_id: number; node_id: number }>(
    sql`select * from ${t.node_facts} where ${own}`,
  );
  const edges = await read<GraphEdgeRow>(sql`select * from ${t.edges} where ${own}`);
  const mentions = await read<GraphMentionRow>(sql`select * from ${t.mentions} where ${own}`);
  const reasonOf = ({ reason, line }: Pick<GraphEdgeRow, 'reason' | 'line'>, to: number) =>
    unpackReason({ reason: text(reason), line }, key(to));
  return [
    { what: 'edges', edges: organization.edges },
    ...shared.map(({ text: one, uses }) => ({ what: 'text', text: one, uses })),
    ...nodes.map(({ id, origin, kind, folded, ...content }) =>
      kind === null
        ? { what: 'named', key: key(id) }
        : {
            what: 'node',
            key: key(id),
            origin: origin === null ? null : text(origin),
            folded,
            content: contentOf(id, content),
          },
    ),
    ...units.map(({ id, repository, revision }) => ({
      what: 'unit',
      owner: key(id),
      repository: text(repository),
      revision: revision ?? splitKey(key(id))[1],
    })),
    ...facts.map(({ unit_id, node_id, ...content }) => ({
      what: 'fact',
      owner: key(unit_id),
      node: key(node_id),
      content: contentOf(node_id, content),
    })),
    ...edges.map(({ src, kind, dst, unit_id, mention, confidence, ...reason }) => ({
      what: 'edge',
      owner: key(unit_id),
      src: key(src),
      kind: edgeKindOf(kind),
      dst: key(dst),
      mention: mention > 0 ? key(mention) : mention,
      confidence,
      ...reasonOf(reason, dst),
    })),
    ...mentions.map(({ alias_id, unit_id, src, kind, confidence, ...reason }) => ({
      what: 'mention',
      owner: key(unit_id),
      src: key(src),
      kind: edgeKindOf(kind),
      alias: key(alias_id),
      confidence,
      ...reasonOf(reason, alias_id),
    })),
  ]
    .map((line) => JSON.stringify(line))
    .toSorted();
}

interface Content {
  readonly shape: number | null;
  readonly content: string | null;
}

interface NodeLine extends Content {
  readonly id: number;
  readonly prefix: number;
  readonly rest: string;
  readonly origin: number | null;
  readonly kind: number | null;
  readonly folded: string | null;
}
