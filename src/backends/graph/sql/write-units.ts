import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { aliasOf } from '../port.ts';
import { type BatchChanges, difference, noChanges, noteLink } from './batch-changes.ts';
import type { CleanFacts } from './clean-facts.ts';
import { type GraphQueries, givenIds, textList } from './graph-tables.ts';
import { rebuilding } from './rebuilding.ts';
import { resolveMentions } from './resolve-mentions.ts';
import type { GraphEdgeRow, GraphMentionRow, GraphNodeFactRow } from './tables.ts';
import {
  changeEdges,
  changeMentions,
  compareEdges,
  compareMentions,
  readEdges,
  readMentions,
} from './write-edges.ts';
import { deleteUnnamed, internKeys, readNodeFacts, writeNodeFacts } from './write-nodes.ts';

export interface CleanUnit {
  readonly owner: string;
  readonly repositoryId: string;
  readonly revision: string;
  readonly facts: CleanFacts;
}

export interface BatchOptions {
  readonly organizationId: string;
  /** True if changes are kept for another graph database. */
  readonly outbox: boolean;
}

/** Replaces the facts of units in the given transaction. No owner occurs twice. */
export async function writeUnits(
  graph: GraphQueries,
  units: readonly CleanUnit[],
  options: BatchOptions,
): Promise<void> {
  const { organizationId } = options;
  await claimOrganization(graph, organizationId);
  const changes = noChanges();
  const { ids, changed } = await upsertUnits(graph, organizationId, units);
  const keys = new Set<string>();
  for (const { facts } of units) {
    for (const { key } of facts.nodes) keys.add(key);
    for (const { from, to } of [...facts.edges, ...facts.mentions]) keys.add(from).add(to);
  }
  const asserted = units.flatMap(({ facts }) => facts.nodes);
  const numbers = await internKeys(graph, organizationId, keys, asserted, changes);
  const wanted = rowsOf(units, ids, numbers);
  await writeRows(graph, [...ids.values()], wanted, organizationId, changes);
  // The revision of its unit is part of an edge.
  if (options.outbox && changed.length > 0) {
    const { rows } = await sql<{ src: number; kind: string; dst: number }>`
      select edge.src, edge.kind, edge.dst from ${givenIds(graph.dialect, changed)}
      cross join ${graph.tables.edges} as edge where edge.unit_id = given.id`.execute(graph.queries);
    for (const link of rows) noteLink(changes, link);
  }
  await finish(graph, changes, options, changed.length > 0);
}

/** Removes units with their facts in the given transaction. */
export async function deleteUnits(
  graph: GraphQueries,
  owners: readonly string[],
  options: BatchOptions,
): Promise<void> {
  const { organizationId } = options;
  await claimOrganization(graph, organizationId);
  const known = await readUnits(graph, organizationId, owners);
  if (known.length === 0) return;
  const changes = noChanges();
  const ids = known.map(({ id }) => id);
  await writeRows(graph, ids, { facts: [], edges: [], mentions: [] }, organizationId, changes);
  await sql`
    delete from ${graph.tables.units} where id in (select id from ${givenIds(graph.dialect, ids)})`.execute(
    graph.queries,
  );
  await finish(graph, changes, options, false);
}

interface WantedRows {
  readonly facts: readonly GraphNodeFactRow[];
  readonly edges: readonly GraphEdgeRow[];
  readonly mentions: readonly GraphMentionRow[];
}

async function writeRows(
  graph: GraphQueries,
  unitIds: readonly number[],
  wanted: WantedRows,
  organizationId: string,
  changes: BatchChanges,
): Promise<void> {
  const facts = difference(
    await readNodeFacts(graph, unitIds),
    wanted.facts,
    ({ unit_id, node_id }) => `${unit_id} ${node_id}`,
    (a, b) => a.name === b.name && a.props === b.props,
  );
  await writeNodeFacts(graph, organizationId, facts, changes);
  const edges = compareEdges(await readEdges(graph, unitIds), wanted.edges);
  await changeEdges(graph, edges, changes);
  const mentions = compareMentions(await readMentions(graph, unitIds), wanted.mentions);
  await changeMentions(graph, mentions, changes);
  const renamed = [...edges.removed, ...edges.written].filter(({ kind }) => kind === aliasOf);
  const aliases = [...new Set(renamed.map(({ src }) => src))];
  await resolveMentions(graph, aliases, [...mentions.removed, ...mentions.written], changes);
  await deleteUnnamed(graph, changes);
}

function rowsOf(
  units: readonly CleanUnit[],
  ids: ReadonlyMap<string, number>,
  numbers: ReadonlyMap<string, number>,
): WantedRows {
  const number = (key: string): number => {
    const found = numbers.get(key);
    if (found === undefined) throw new Error(`the key ${key} has no number`);
    return found;
  };
  const [facts, edges, mentions]: [GraphNodeFactRow[], GraphEdgeRow[], GraphMentionRow[]] = [[], [], []];
  for (const unit of units) {
    const unit_id = ids.get(unit.owner) ?? 0;
    for (const { key, name, props } of unit.facts.nodes)
      facts.push({ unit_id, node_id: number(key), name, props });
    for (const { from, kind, to, rule, evidence, confidence } of unit.facts.edges)
      edges.push({
        src: number(from),
        kind,
        dst: number(to),
        unit_id,
        mention: 0,
        rule,
        evidence,
        confidence,
      });
    for (const { from, kind, to, rule, evidence, confidence } of unit.facts.mentions)
      mentions.push({ alias_id: number(to), unit_id, src: number(from), kind, rule, evidence, confidence });
  }
  return { facts, edges, mentions };
}

interface StoredUnit {
  readonly id: number;
  readonly owner: string;
  readonly repository_id: string;
  readonly revision: string;
}

async function readUnits(
  { queries, dialect, tables }: GraphQueries,
  organizationId: string,
  owners: readonly string[],
): Promise<readonly StoredUnit[]> {
  const { rows } = await sql<StoredUnit>`
    select id, owner, repository_id, revision from ${tables.units}
    where org_id = ${organizationId} and owner in ${textList(dialect, owners)}`.execute(queries);
  return rows;
}

/** Returns the numbers of the units by owner, and those of the known units that have another revision now. */
async function upsertUnits(
  graph: GraphQueries,
  organizationId: string,
  units: readonly CleanUnit[],
): Promise<{ readonly ids: ReadonlyMap<string, number>; readonly changed: readonly number[] }> {
  const { queries, dialect, tables } = graph;
  const known = await readUnits(
    graph,
    organizationId,
    units.map(({ owner }) => owner),
  );
  const before = new Map(known.map((unit) => [unit.owner, unit]));
  const ids = new Map(known.map(({ owner, id }) => [owner, id]));
  const stale = units.filter(({ owner, repositoryId, revision }) => {
    const unit = before.get(owner);
    return unit?.revision !== revision || unit.repository_id !== repositoryId;
  });
  if (stale.length === 0) return { ids, changed: [] };
  const rows = stale
    .map(({ owner, repositoryId, revision }) => ({ owner, repository_id: repositoryId, revision }))
    .toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
  const columns = { owner: 'text', repository_id: 'text', revision: 'text' } as const;
  const { rows: written } = await sql<{ id: number; owner: string }>`
    insert into ${tables.units} (org_id, owner, repository_id, revision)
    select ${organizationId}, owner, repository_id, revision from ${givenRows(dialect, columns, rows)} where true
    on conflict (org_id, owner) do update set
      repository_id = excluded.repository_id, revision = excluded.revision
    returning id, owner`.execute(queries);
  for (const { id, owner } of written) ids.set(owner, id);
  return { ids, changed: written.filter(({ owner }) => before.has(owner)).map(({ id }) => id) };
}

/**
 * Makes this transaction the only writer of the organization, so that its sequence has no gaps and its changes are in
 * the order of the sequence. @throws Unavailable if a process of another version has recreated the store
 */
async function claimOrganization(
  { queries, dialect, version, tables }: GraphQueries,
  organizationId: string,
): Promise<void> {
  const stored = await queries.selectFrom('derived_version').select('version').executeTakeFirst();
  if (stored?.version !== version) throw rebuilding();
  await sql`
    insert into ${tables.organizations} (org_id, sequence, edges) values (${organizationId}, 0, 0)
    on conflict (org_id) do nothing`.execute(queries);
  if (dialect === 'postgres') {
    await sql`select 1 from ${tables.organizations} where org_id = ${organizationId} for update`.execute(
      queries,
    );
  }
}

async function finish(
  { queries, dialect, tables }: GraphQueries,
  changes: BatchChanges,
  { organizationId, outbox }: BatchOptions,
  revised: boolean,
): Promise<void> {
  if (changes.nodes.size === 0 && changes.links.size === 0 && !revised) return;
  const { rows } = await sql<{ sequence: number }>`
    update ${tables.organizations} set sequence = sequence + 1, edges = edges + ${changes.edges}
    where org_id = ${organizationId} returning sequence`.execute(queries);
  if (!outbox) {
    // A gap would be copied as if nothing had changed; without any row the copy is filled anew.
    await sql`delete from ${tables.outbox} where org_id = ${organizationId}`.execute(queries);
    return;
  }
  const sequence = rows[0]?.sequence ?? 0;
  // Each sequence has a row, so that a copy can tell a gap from a change of nothing that it holds.
  const entries = [
    { src: 0, kind: '', dst: 0 },
    ...[...changes.nodes].map((src) => ({ src, kind: '', dst: 0 })),
    ...[...changes.links.values()].map((link) => ({ ...link })),
  ];
  await sql`
    insert into ${tables.outbox} (org_id, sequence, src, kind, dst)
    select ${organizationId}, ${sql.raw(String(sequence))}, src, kind, dst
    from ${givenRows(dialect, { src: 'bigint', kind: 'text', dst: 'bigint' }, entries)}`.execute(queries);
}
