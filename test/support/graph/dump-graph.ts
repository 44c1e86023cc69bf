import { sql } from 'kysely';
import { graphTables } from '../../../src/backends/graph/sql/graph-tables.ts';
import type { DerivedDatabase } from '../../../src/foundation/db/derived/open-derived.ts';

/**
 * Returns the whole graph of an organization as ordered lines, without the numbers of its rows, so that two graphs with
 * the same facts have the same dump.
 */
export async function dumpGraph(
  { queries, dialect }: DerivedDatabase,
  organizationId: string,
): Promise<readonly string[]> {
  const t = graphTables(dialect);
  const statements = [
    sql`select 'unit' as what, owner, repository_id, revision from ${t.units} where org_id = ${organizationId}`,
    sql`select 'node' as what, key, kind, name, folded, repository_id, props from ${t.nodes}
      where org_id = ${organizationId} and kind is not null`,
    sql`select 'named' as what, key from ${t.nodes} where org_id = ${organizationId} and kind is null`,
    sql`select 'fact' as what, u.owner, n.key, f.name, f.props from ${t.node_facts} f
      join ${t.units} u on u.id = f.unit_id join ${t.nodes} n on n.id = f.node_id
      where u.org_id = ${organizationId}`,
    sql`select 'edge' as what, u.owner, s.key as src, e.kind, d.key as dst, m.key as mention, e.rule, e.evidence,
        e.confidence
      from ${t.edges} e join ${t.units} u on u.id = e.unit_id join ${t.nodes} s on s.id = e.src
      join ${t.nodes} d on d.id = e.dst left join ${t.nodes} m on m.id = e.mention
      where u.org_id = ${organizationId}`,
    sql`select 'mention' as what, u.owner, s.key as src, m.kind, a.key as alias, m.rule, m.evidence, m.confidence
      from ${t.mentions} m join ${t.units} u on u.id = m.unit_id join ${t.nodes} s on s.id = m.src
      join ${t.nodes} a on a.id = m.alias_id where u.org_id = ${organizationId}`,
    sql`select 'edges' as what, edges from ${t.organizations} where org_id = ${organizationId}`,
  ];
  const lines: string[] = [];
  for (const statement of statements) {
    const { rows } = await statement.execute(queries);
    for (const row of rows) lines.push(JSON.stringify(row));
  }
  return lines.toSorted();
}
