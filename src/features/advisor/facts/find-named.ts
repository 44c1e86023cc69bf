import { aliasOf, type GraphNode } from '../../../backends/graph/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { commitKey, fileKey, placeOfKey, pullKey } from '../../knowledge/links/keys.ts';
import { findEntity } from '../../knowledge/queries/find-entity.ts';
import type { VisibleGraph } from '../../knowledge/queries/visible-graph.ts';
import type { Mentions } from '../question/mentions.ts';
import type { RankedCode } from '../ranking/rank-code.ts';
import type { Inquiry, Named } from './inquiry.ts';
import { isTestPath } from './test-path.ts';

/** Maximum number of names and paths that are looked up, and of definitions of one name. */
const max = { names: 8, definitions: 60, paths: 6 } as const;

/** Looks up the entities that a prompt names. */
export async function findNamed(
  view: VisibleGraph,
  scope: OrgScope,
  mentions: Mentions,
  inquiry: Pick<Inquiry, 'ranked' | 'kind'>,
): Promise<Named> {
  const { ranked } = inquiry;
  const repositories = [...view.repositories.keys()];
  const keys = repositories.flatMap((id) => [
    ...mentions.commits.map((sha) => commitKey(id, sha)),
    ...mentions.pulls.map((number) => pullKey(id, number)),
  ]);
  const [issues, incidents, direct, files, symbols] = await Promise.all([
    findIssues(view, scope, mentions.issues),
    findIncidents(view, scope, mentions),
    keys.length === 0 ? [] : view.graph.get(scope, keys).then(({ nodes }) => nodes),
    findFiles(view, scope, ranked),
    findSymbols(view, scope, namesIn(mentions, inquiry), ranked),
  ]);
  return {
    issues: issues.found,
    unknown: issues.unknown,
    incidents,
    commits: direct.filter(({ kind }) => kind === 'commit'),
    pulls: direct.filter(({ kind }) => kind === 'pr'),
    files,
    symbols,
  };
}

async function findIssues(
  { graph }: VisibleGraph,
  scope: OrgScope,
  names: readonly string[],
): Promise<{ found: GraphNode[]; unknown: string[] }> {
  const found: GraphNode[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const node = await findEntity(graph, scope, name).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
    if (node === undefined) unknown.push(name);
    else found.push(node);
  }
  return { found, unknown };
}

/** Finds incidents by id; without one, those whose titles have most of the words. */
async function findIncidents(
  { graph }: VisibleGraph,
  scope: OrgScope,
  { incidentIds, incidentWords }: Mentions,
): Promise<readonly GraphNode[]> {
  if (incidentIds.length > 0) {
    const from = incidentIds.map((id) => `alias:${id}`);
    const limits = { depth: 1, perNode: 10, limit: 40 } as const;
    const { nodes } = await graph.neighbours(scope, { from, direction: 'out', kinds: [aliasOf], ...limits });
    const found = nodes.filter(({ kind }) => kind === 'incident');
    if (found.length > 0) return found;
  }
  const hits = new Map<string, { node: GraphNode; words: number }>();
  for (const word of incidentWords) {
    const { nodes } = await graph.search(scope, { text: word, kinds: ['incident'], limit: 50 });
    for (const node of nodes) {
      const words = (hits.get(node.key)?.words ?? 0) + 1;
      hits.set(node.key, { node, words });
    }
  }
  const best = Math.max(0, ...[...hits.values()].map(({ words }) => words));
  if (best === 0 || best * 2 < Math.min(incidentWords.length, 4)) return [];
  return [...hits.values()]
    .filter(({ words }) => words === best)
    .map(({ node }) => node)
    .toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)))
    .slice(0, 3);
}

/** Returns when a record was created, as its provider wrote it. */
export function createdAt({ props }: GraphNode): string {
  return typeof props['createdAt'] === 'string' ? props['createdAt'] : '';
}

/** Finds the files that the prompt names by their whole path or its end. */
async function findFiles(
  { graph, repositories }: VisibleGraph,
  scope: OrgScope,
  { subject, files }: RankedCode,
): Promise<readonly GraphNode[]> {
  const paths = subject.paths.slice(0, max.paths);
  if (paths.length === 0) return [];
  const ranked = files
    .filter(({ path }) => paths.some((named) => isSamePath(path, named)))
    .map(({ repository, path }) => fileKey(repository, path));
  const whole = [...repositories.keys()].flatMap((id) => paths.map((path) => fileKey(id, path)));
  return (await graph.get(scope, [...new Set([...ranked, ...whole])])).nodes;
}

function isSamePath(path: string, named: string): boolean {
  return path === named || path.endsWith(`/${named}`) || named.endsWith(`/${path}`);
}

/**
 * Returns the names of definitions in a prompt. A plain word is one only where the question asks for uses or owners: in
 * other questions it is a word of the sentence.
 */
function namesIn(
  { objects }: Mentions,
  { ranked: { subject }, kind }: Pick<Inquiry, 'ranked' | 'kind'>,
): readonly string[] {
  const asksForUses = kind === 'callers' || kind === 'impact' || kind === 'owners';
  return [...new Set([...subject.identifiers, ...(asksForUses ? objects : [])])].slice(0, max.names);
}

/** Finds the definitions of the names that the prompt mentions, most likely first. */
async function findSymbols(
  { graph }: VisibleGraph,
  scope: OrgScope,
  names: readonly string[],
  { files, named, subject }: RankedCode,
): Promise<readonly GraphNode[]> {
  const repositories = named.length === 0 ? undefined : named.map(({ id }) => id as string);
  const found: GraphNode[] = [];
  const qualified = new Set<string>();
  for (const name of names) {
    const last = name.split(/\.|::|#/u).at(-1) ?? name;
    if (last.length < 3) continue;
    const search = { text: last, kinds: ['symbol'], limit: max.definitions, repositories } as const;
    const { nodes } = await graph.search(scope, search);
    const own = nodes.filter((node) => node.name === last && isQualified(node, name));
    found.push(...own);
    if (last !== name) for (const { key } of own) qualified.add(key);
  }
  const order = new Map(files.map(({ repository, path }, index) => [fileKey(repository, path), index]));
  const rankOf = ({ key }: GraphNode): number => {
    const place = placeOfKey(key);
    return order.get(fileKey(place?.repositoryId ?? '', place?.path ?? '')) ?? files.length;
  };
  // A name written as in code is what a question is about; a word of prose may be a name by chance.
  const written = new Set(subject.identifiers.map((name) => name.split(/\.|::|#/u).at(-1) ?? name));
  const isWord = ({ name, key }: GraphNode): number => (qualified.has(key) ? -1 : written.has(name) ? 0 : 1);
  return found.toSorted(
    (a, b) => isWord(a) - isWord(b) || weightOf(a) - weightOf(b) || rankOf(a) - rankOf(b),
  );
}

/** Orders definitions: those at the top level of the product, members, then those of tests. */
function weightOf({ key, name, props }: GraphNode): number {
  const isMember = typeof props['qualifiedName'] === 'string' && props['qualifiedName'] !== name;
  return (isTestPath(key) ? 2 : 0) + (isMember ? 1 : 0);
}

/** Returns whether a symbol can have the name as written: `Lease.release` is a member of something named `Lease`. */
function isQualified({ props, name }: GraphNode, written: string): boolean {
  const qualified = props['qualifiedName'];
  const parts = written.split(/\.|::|#/u);
  if (parts.length < 2 || typeof qualified !== 'string') return true;
  return qualified === name || qualified.endsWith(parts.slice(-2).join('.'));
}
