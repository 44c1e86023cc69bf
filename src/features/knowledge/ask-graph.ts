import type { z } from 'zod';
import { edgeKinds, nodeKinds, type Traversal } from '../../backends/graph/port.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { entityKinds } from '../mirror/format/record-kind.ts';
import { certainConfidence } from './certainty.ts';
import {
  type EntityRecord,
  type entityPageRecord,
  type impactRecord,
  type relatedRecord,
  toEntity,
  toFreshness,
  toReasoned,
  toRelation,
} from './entity-record.ts';
import type { KnowledgeDeps } from './knowledge-deps.ts';
import { fileKey, placeOfKey } from './links/keys.ts';
import { neighboursOfCommit } from './queries/commit-neighbours.ts';
import { findEntityOrCommit } from './queries/find-commit.ts';
import { findEntity } from './queries/find-entity.ts';
import { possibleEdges } from './queries/related-node.ts';
import { showImpact } from './queries/show-impact.ts';
import { openVisibleGraph, type VisibleGraph } from './queries/visible-graph.ts';

export interface EntitySearch {
  readonly text: string;
  /** Default: all. */
  readonly kinds?: readonly string[] | undefined;
  /** Names or ids of repositories. Default: all, and entities outside repositories. */
  readonly repositories?: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Finds entities by name. @throws InvalidInput for an unknown kind or repository, or a bad cursor */
export async function searchEntities(
  deps: KnowledgeDeps,
  scope: OrgScope,
  { text, kinds, repositories, limit, cursor }: EntitySearch,
): Promise<z.output<typeof entityPageRecord>> {
  const view = await openVisibleGraph(deps, scope);
  const found = await view.graph.search(scope, {
    text,
    kinds: searchedKinds(deps, kinds),
    origins: repositories?.map((name) => repositoryIdOf(view, name)),
    limit,
    cursor,
  });
  const items = found.nodes.map((node) => toEntity(view.repositories, node));
  return { items, nextCursor: found.nextCursor, freshness: toFreshness(found) };
}

/** Returns the entity with a key or identifier. @throws NotFound; InvalidInput for an ambiguous id of a commit */
export async function getEntity(
  deps: KnowledgeDeps,
  scope: OrgScope,
  entity: string,
  signal: AbortSignal,
): Promise<EntityRecord> {
  const view = await openVisibleGraph(deps, scope);
  const { node } = await findEntityOrCommit({ view, sources: deps.sources, scope, signal }, entity);
  return toEntity(view.repositories, node);
}

export interface RelatedQuestion {
  readonly entity: string;
  readonly direction: Traversal['direction'];
  /** Kinds of edges. Default: all. */
  readonly kinds?: readonly string[] | undefined;
  readonly depth: Traversal['depth'];
  /** Maximum number of other entities. */
  readonly limit: number;
}

/** Maximum number of edges of one node in each direction; of the entity itself, when only those are asked for, more. */
const maxPerNode = 100;

/**
 * Returns what an entity is certainly connected with, then what it possibly is, and why.
 * @throws NotFound; InvalidInput for an unknown kind or an ambiguous id of a commit
 */
export async function relatedEntities(
  deps: KnowledgeDeps,
  scope: OrgScope,
  { entity, direction, kinds, depth, limit }: RelatedQuestion,
  signal: AbortSignal,
): Promise<z.output<typeof relatedRecord>> {
  if (kinds?.some((kind) => !edgeKinds.some((known) => known === kind)))
    throw invalidField('kinds', `must be of these: ${edgeKinds.join(', ')}`);
  const view = await openVisibleGraph(deps, scope);
  const { graph, repositories } = view;
  const { node, facts } = await findEntityOrCommit({ view, sources: deps.sources, scope, signal }, entity);
  const { key } = node;
  const perNode = depth === 1 ? Math.max(limit, maxPerNode) : maxPerNode;
  const traversal = { direction, kinds, depth, perNode, limit: limit + 1 };
  const found =
    facts === undefined
      ? await graph.neighbours(scope, { ...traversal, from: [key], minConfidence: certainConfidence })
      : await neighboursOfCommit(graph, scope, { node, facts }, traversal);
  // A commit that the graph lacks has all its edges already.
  const unsure =
    facts === undefined
      ? await possibleEdges(graph, scope, { from: [key], direction, kinds, certain: found, limit })
      : undefined;
  const nodes = new Map([...(unsure?.nodes ?? []), ...found.nodes].map((each) => [each.key, each]));
  const edges = [...found.edges, ...(unsure?.edges ?? [])].map(toRelation);
  const { certain = [], possible = [] } = Object.groupBy(edges, ({ certainty }) => certainty);
  return {
    key,
    nodes: [...nodes.values()].map((each) => toEntity(repositories, each)),
    edges: [...certain, ...possible],
    certain: certain.length,
    possible: possible.length,
    truncated: found.truncated || unsure?.truncated === true,
    freshness: toFreshness(unsure ?? found),
  };
}

export interface ImpactQuestion {
  /** Name or id. */
  readonly repository: string;
  readonly path?: string | undefined;
  /** Name or key of a symbol. With `path`, one of that file. */
  readonly symbol?: string | undefined;
}

/** Returns what a change of a file or symbol touches. @throws NotFound; InvalidInput for an ambiguous symbol */
export async function askImpact(
  deps: KnowledgeDeps,
  scope: OrgScope,
  { repository, path, symbol }: ImpactQuestion,
): Promise<z.output<typeof impactRecord>> {
  const view = await openVisibleGraph(deps, scope);
  const id = findRepositoryId(view, repository);
  if (id === undefined) throw new NotFound('There is no indexed repository with this name or id.');
  const inside = path?.replace(/^(?:\.?\/)+/, '');
  const key =
    symbol === undefined
      ? fileOf(id, inside)
      : await symbolOf(view, scope, { repositoryId: id, path: inside, symbol });
  const { graph, repositories } = view;
  await findEntity(graph, scope, key);
  const impact = await showImpact(graph, scope, key);
  return {
    target: toEntity(repositories, impact.target),
    dependents: toReasoned(repositories, impact.dependents),
    possible: impact.possible.length,
    owners: toReasoned(repositories, impact.owners),
    commits: toReasoned(repositories, impact.commits),
    issues: toReasoned(repositories, impact.issues),
    incidents: toReasoned(repositories, impact.incidents),
    truncated: impact.truncated,
    freshness: toFreshness(impact),
  };
}

function fileOf(repositoryId: string, path: string | undefined): string {
  if (path !== undefined) return fileKey(repositoryId, path);
  throw invalidField('path', 'is missing', 'Pass `path`, `symbol` or both.');
}

/** Maximum number of symbols with a similar name that are compared. */
const maxCandidates = 200;

async function symbolOf(
  { graph }: VisibleGraph,
  scope: OrgScope,
  { repositoryId, path, symbol }: { repositoryId: string; path: string | undefined; symbol: string },
): Promise<string> {
  if (symbol.startsWith(`symbol:${repositoryId}:`)) return symbol;
  const text = symbol.split('.').at(-1) ?? symbol;
  const search = { text, kinds: ['symbol'], origins: [repositoryId], limit: maxCandidates } as const;
  const { nodes } = await graph.search(scope, search);
  const found = nodes.filter(
    ({ key, name }) =>
      (name === symbol || key.includes(`#${symbol}/`)) &&
      (path === undefined || placeOfKey(key)?.path === path),
  );
  const [first, second] = found;
  if (first === undefined) throw new NotFound('The knowledge graph has no symbol with this name there.');
  if (second === undefined) return first.key;
  const places = found.slice(0, 5).map(({ key }) => placeOfKey(key)?.path);
  const message = `is the name of ${found.length} symbols; pass the path too, or a key`;
  throw invalidField('symbol', message, `\`symbol\` ${message}. Some are in: ${places.join(', ')}.`);
}

/** Returns the given kinds, or all that the graph may have. @throws InvalidInput for another kind */
function searchedKinds({ records }: KnowledgeDeps, kinds: readonly string[] | undefined): readonly string[] {
  const known = new Set<string>([...nodeKinds, ...records.flatMap((each) => entityKinds(each.kinds))]);
  if (kinds?.some((kind) => !known.has(kind)))
    throw invalidField('kind', `must be one of ${[...known].join(', ')}`);
  return kinds ?? [...known];
}

function repositoryIdOf(view: VisibleGraph, name: string): string {
  const id = findRepositoryId(view, name);
  if (id === undefined) throw invalidField('repositories', 'names a repository that is not indexed here');
  return id;
}

function findRepositoryId({ repositories }: VisibleGraph, name: string): string | undefined {
  if (repositories.has(name)) return name;
  return [...repositories].find(([, known]) => known === name)?.[0];
}
