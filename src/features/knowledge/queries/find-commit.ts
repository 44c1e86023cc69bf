import type { SourceCommit } from '../../../backends/codesearch/port.ts';
import { type GraphNode, graphLimits } from '../../../backends/graph/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import type { KnowledgeDeps } from '../knowledge-deps.ts';
import { commitFacts, RenamedPaths } from '../links/commit-facts.ts';
import type { FactList } from '../links/fact-list.ts';
import { commitKey } from '../links/keys.ts';
import { parseMailmap } from '../links/people.ts';
import { findEntity } from './find-entity.ts';
import type { VisibleGraph } from './visible-graph.ts';

/** An entity. `facts` are what a commit says that the graph lacks, such as one of a merged branch. */
export interface FoundEntity {
  readonly node: GraphNode;
  readonly facts?: FactList;
}

/** The graph, the sources and the organization in which entities are looked up. */
export interface EntityPlace {
  readonly view: VisibleGraph;
  readonly sources: KnowledgeDeps['sources'];
  readonly scope: OrgScope;
  readonly signal: AbortSignal;
}

/**
 * Returns the entity with a key or identifier as `findEntity` does, and each commit that a followed branch reaches:
 * from the graph, else read from Git. The id in the key of a commit may be shortened to 7 digits.
 * @throws NotFound; InvalidInput for a shortened id of several commits
 */
export async function findEntityOrCommit(place: EntityPlace, text: string): Promise<FoundEntity> {
  const { view, scope } = place;
  const [, repositoryId = '', id = ''] = /^commit:([^:]+):([\da-f]{7,64})$/i.exec(text) ?? [];
  if (!view.repositories.has(repositoryId)) return { node: await findEntity(view.graph, scope, text) };
  const prefix = id.toLowerCase();
  const known = await commitOfGraph(place, commitKey(repositoryId, prefix));
  if (known !== undefined) return { node: known };
  const repository = repositoryId as RepositoryId;
  const commit = await onlyCommit(place, repository, prefix);
  const whole =
    prefix === commit.id ? undefined : await commitOfGraph(place, commitKey(repositoryId, commit.id));
  if (whole !== undefined) return { node: whole };
  return readFacts(place, repository, commit);
}

async function commitOfGraph({ view, scope }: EntityPlace, key: string): Promise<GraphNode | undefined> {
  return (await view.graph.get(scope, [key])).nodes[0];
}

async function onlyCommit(
  { sources, scope, signal }: EntityPlace,
  repository: RepositoryId,
  prefix: string,
): Promise<SourceCommit> {
  const [first, ...others] = await sources.findCommits(scope, { repository, commit: prefix }, signal);
  if (first === undefined)
    throw new NotFound(
      'No followed branch of the repository has a commit with this id. If the commit is new, sync the repository.',
    );
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  const message = `is the start of the ids of several commits; pass more digits. They are: ${ids}`;
  throw invalidField('entity', message, `\`${prefix}\` ${message}.`);
}

/** Returns a node with a name of at most the length that the graph stores. */
export function boundedNode({ key, kind, name, props }: GraphNode): GraphNode {
  return { key, kind, name: name.slice(0, graphLimits.name).toWellFormed(), props };
}

/**
 * Returns what a commit says, as the projection writes it. Files that were renamed since are not followed, because that
 * takes the whole history.
 */
async function readFacts(
  { sources, scope, signal }: EntityPlace,
  repository: RepositoryId,
  commit: SourceCommit,
): Promise<FoundEntity> {
  const file = await sources.readFile(scope, { repository, path: '.mailmap' }, signal);
  const mailmap = parseMailmap(file?.content ?? '');
  const place = { repositoryId: repository, hosted: undefined, mailmap, renames: new RenamedPaths() };
  const facts = commitFacts(place, commit);
  const key = commitKey(repository, commit.id);
  const node = facts.nodes.find((one) => one.key === key);
  if (node === undefined) throw new TypeError('The facts of a commit have no commit.');
  return { node: boundedNode(node), facts };
}
