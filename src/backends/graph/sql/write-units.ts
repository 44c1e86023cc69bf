import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { aliasOf, type EdgeFact } from '../port.ts';
import { type BatchChanges, noChanges, numbersOf } from './batch-changes.ts';
import { deleteRows, difference, putRows, rowTables } from './batch-rows.ts';
import type { CleanFacts } from './clean-facts.ts';
import { type GraphQueries, givenIds, organizationNumber } from './graph-tables.ts';
import { edgeKindNumber, edgeKindOf } from './kind-numbers.ts';
import { nodesOfKeys } from './node-rows.ts';
import { packNode, packReason, splitKey, textHash } from './packed-text.ts';
import { rebuilding } from './rebuilding.ts';
import { resolveMentions } from './resolve-mentions.ts';
import type { GraphEdgeRow, GraphMentionRow, GraphUnitRow } from './tables.ts';
import { changeEdges, changeMentions, readEdges, readLinks, readMentions } from './write-edges.ts';
import { changeFacts, deleteUnnamed, type FactRow, internKeys, readFacts } from './write-nodes.ts';

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

const aliasKind = edgeKindNumber(aliasOf);

/** Replaces the facts of units in the given transaction. No owner occurs twice. */
export async function writeUnits(
  graph: GraphQueries,
  units: readonly CleanUnit[],
  options: BatchOptions,
): Promise<void> {
  const changes = await claimOrganization(graph, options.organizationId);
  const packed = units.map(packUnit);
  const keys = new Set<string>();
  for (const { owner, nodes, edges, mentions } of packed) {
    keys.add(owner);
    for (const { key } of nodes) keys.add(key);
    for (const { from, to } of [...edges, ...mentions]) keys.add(from).add(to);
  }
  await changes.texts.add([...packed.flatMap(textsOf), ...[...keys].map((key) => splitKey(key)[0])]);
  const numbers = await internKeys(
    graph,
    keys,
    packed.flatMap(({ nodes }) => nodes),
    changes,
  );
  const changed = await putUnits(graph, packed, numbers, changes);
  await writeRows(
    graph,
    packed.map(({ owner }) => numberIn(numbers, owner)),
    rowsOf(packed, numbers, changes),
    changes,
  );
  // The revision of its unit is part of an edge.
  if (options.outbox)
    for (const link of await readLinks(graph, changed)) changes.links.set(numbersOf(link), link);
  await finish(graph, changes, options, changed.length > 0);
}

/** Removes units with their facts in the given transaction. */
export async function deleteUnits(
  graph: GraphQueries,
  ids: readonly number[],
  options: BatchOptions,
): Promise<void> {
  if (ids.length === 0) return;
  const changes = await claimOrganization(graph, options.organizationId);
  const units = await readUnits(graph, ids);
  await deleteRows(graph, rowTables.units, units);
  for (const { id, repository } of units) {
    changes.released.add(id);
    changes.texts.count(repository, -1);
  }
  await writeRows(graph, ids, { facts: [], edges: [], mentions: [] }, changes);
  await finish(graph, changes, options, false);
}

/** Returns the numbers of the units of some owners. */
export async function unitsOf(
  graph: GraphQueries,
  organizationId: string,
  owners: readonly string[],
): Promise<readonly number[]> {
  const ids = (await nodesOfKeys(graph, organizationId, owners)).map(({ id }) => id);
  return (await readUnits(graph, ids)).map(({ id }) => id);
}

/** Returns the numbers of some units of a repository. */
export async function unitsOfRepository(
  { queries, tables }: GraphQueries,
  organizationId: string,
  repositoryId: string,
  limit: number,
): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select unit.id from ${tables.texts} as repository cross join ${tables.units} as unit
    where repository.org = ${organizationNumber(tables, organizationId)}
      and repository.hash = ${textHash(repositoryId)} and repository.text = ${repositoryId}
      and unit.repository = repository.id limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

function packUnit({ facts, ...unit }: CleanUnit) {
  return {
    ...unit,
    nodes: facts.nodes.map(({ key, ...content }) => ({ key, ...packNode(key, content) })),
    edges: facts.edges.map((edge) => packEdge(edge, edge.to)),
    // An edge that resolves a mention has its reason, but ends at another key.
    mentions: facts.mentions.map((mention) => packEdge(mention)),
  };
}

function packEdge({ from, kind, to, confidence, ...reason }: EdgeFact, named?: string) {
  return { from, kind: edgeKindNumber(kind), to, confidence, ...packReason(reason, named) };
}

type PackedUnit = ReturnType<typeof packUnit>;

function textsOf({ repositoryId, nodes, edges, mentions }: PackedUnit): readonly string[] {
  return [
    repositoryId,
    ...nodes.map(({ shape }) => shape),
    ...[...edges, ...mentions].map(({ reason }) => reason),
  ];
}

interface WantedRows {
  readonly facts: readonly FactRow[];
  readonly edges: readonly GraphEdgeRow[];
  readonly mentions: readonly GraphMentionRow[];
}

async function writeRows(
  graph: GraphQueries,
  unitIds: readonly number[],
  wanted: WantedRows,
  changes: BatchChanges,
): Promise<void> {
  const storedFacts = await readFacts(graph, 'unit_id', unitIds);
  // They are found by the facts that are stored.
  const storedEdges = await readEdges(graph, unitIds);
  const facts = difference(rowTables.facts, storedFacts, wanted.facts);
  await changeFacts(graph, facts, changes);
  const edges = difference(rowTables.edges, storedEdges, wanted.edges);
  await changeEdges(graph, edges, changes);
  const mentions = difference(rowTables.mentions, await readMentions(graph, unitIds), wanted.mentions);
  await changeMentions(graph, mentions, changes);
  const renamed = [...edges.removed, ...edges.written].filter(({ kind }) => kind === aliasKind);
  const aliases = [...new Set(renamed.map(({ src }) => src))];
  await resolveMentions(graph, aliases, [...mentions.removed, ...mentions.written], changes);
  await deleteUnnamed(graph, changes);
}

function numberIn(numbers: ReadonlyMap<string, number>, key: string): number {
  const found = numbers.get(key);
  if (found === undefined) throw new Error(`the key ${key} has no number`);
  return found;
}

function rowsOf(
  units: readonly PackedUnit[],
  numbers: ReadonlyMap<string, number>,
  { texts }: BatchChanges,
): WantedRows {
  const [facts, edges, mentions]: [FactRow[], GraphEdgeRow[], GraphMentionRow[]] = [[], [], []];
  for (const unit of units) {
    const unit_id = numberIn(numbers, unit.owner);
    const asserted = new Set<number>();
    for (const { key, shape, content } of unit.nodes) {
      const node_id = numberIn(numbers, key);
      asserted.add(node_id);
      facts.push({ unit_id, node_id, shape: texts.id(shape), content, stored: null });
    }
    for (const { from, to, reason, ...rest } of unit.edges) {
      const src = numberIn(numbers, from);
      const mention = asserted.has(src) ? 0 : -1;
      edges.push({ ...rest, src, dst: numberIn(numbers, to), unit_id, mention, reason: texts.id(reason) });
    }
    for (const { from, to, reason, ...rest } of unit.mentions) {
      const [src, alias_id] = [numberIn(numbers, from), numberIn(numbers, to)];
      mentions.push({ ...rest, alias_id, unit_id, src, reason: texts.id(reason) });
    }
  }
  return { facts, edges, mentions };
}

async function readUnits(
  { queries, dialect, tables }: GraphQueries,
  ids: readonly number[],
): Promise<GraphUnitRow[]> {
  const { rows } = await sql<GraphUnitRow>`
    select unit.id, unit.repository, unit.revision from ${givenIds(dialect, ids)}
    cross join ${tables.units} as unit where unit.id = given.id`.execute(queries);
  return rows;
}

/** Writes units that are new or changed. Returns those that had another revision before. */
async function putUnits(
  graph: GraphQueries,
  units: readonly PackedUnit[],
  numbers: ReadonlyMap<string, number>,
  { texts }: BatchChanges,
): Promise<readonly number[]> {
  const wanted = units.map(({ owner, repositoryId, revision }) => ({
    id: numberIn(numbers, owner),
    repository: texts.id(repositoryId),
    revision: splitKey(owner)[1] === revision ? null : revision,
  }));
  const stored = await readUnits(
    graph,
    wanted.map(({ id }) => id),
  );
  const { written, replaced } = difference(rowTables.units, stored, wanted);
  for (const { repository } of written) texts.count(repository, 1);
  for (const { repository } of replaced) texts.count(repository, -1);
  await putRows(graph, rowTables.units, written);
  return replaced.map(({ id }) => id);
}

/**
 * Makes this transaction the only writer of the organization, so that its sequence has no gaps and its changes are in
 * the order of the sequence. @throws Unavailable if a process of another version has recreated the store
 */
async function claimOrganization(graph: GraphQueries, organizationId: string): Promise<BatchChanges> {
  const { queries, dialect, version, tables } = graph;
  const stored = await queries.selectFrom('derived_version').select('version').executeTakeFirst();
  if (stored?.version !== version) throw rebuilding();
  const read = () =>
    sql<{ id: number }>`
    select id from ${tables.organizations} where org_id = ${organizationId}
    ${dialect === 'postgres' ? sql`for update` : sql``}`.execute(queries);
  let { rows } = await read();
  if (rows.length === 0) {
    await sql`
      insert into ${tables.organizations} (org_id, sequence, edges) values (${organizationId}, 0, 0)
      on conflict (org_id) do nothing`.execute(queries);
    ({ rows } = await read());
  }
  return noChanges(graph, organizationId, rows[0]?.id ?? 0);
}

async function finish(
  graph: GraphQueries,
  changes: BatchChanges,
  { organizationId, outbox }: BatchOptions,
  revised: boolean,
): Promise<void> {
  const { queries, dialect, tables } = graph;
  await changes.texts.settle();
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
    ...[...changes.links.values()].map(({ src, kind, dst }) => ({ src, kind: edgeKindOf(kind), dst })),
  ];
  await sql`
    insert into ${tables.outbox} (org_id, sequence, src, kind, dst)
    select ${organizationId}, ${sql.raw(String(sequence))}, src, kind, dst
    from ${givenRows(dialect, { src: 'bigint', kind: 'text', dst: 'bigint' }, entries)}`.execute(queries);
}
