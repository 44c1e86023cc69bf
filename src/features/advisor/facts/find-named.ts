import { aliasOf, type GraphNode } from '../../../backends/graph/port.ts';
import { isDeclarationFile } from '../../../backends/languages/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { commitKey, fileKey, placeOfKey, pullKey } from '../../knowledge/links/keys.ts';
import { findEntity } from '../../knowledge/queries/find-entity.ts';
import type { VisibleGraph } from '../../knowledge/queries/visible-graph.ts';
import { usedObject } from '../question/grammar/relations.ts';
import type { Mentions } from '../question/prompt/mentions.ts';
import { looksLikeCode } from '../question/prompt/read-prompt.ts';
import { isKindOfName } from '../question/words/kind-words.ts';
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
  { ranked: { subject, asked }, kind }: Pick<Inquiry, 'ranked' | 'kind'>,
): readonly string[] {
  const used = kind === 'callers' ? usedNames(asked) : [];
  const asksForUses = kind === 'impact' || kind === 'owners' || (kind === 'callers' && used.length === 0);
  return [...new Set([...used, ...subject.identifiers, ...(asksForUses ? objects : [])])].slice(0, max.names);
}

const afterName =
  /^(?:in|inside|within|outside|from|at|on|of|for|by|with|besides|and|or|here|there|today|now|anywhere|internally|directly|these|except)$/iu;

/** Returns the names that the object of a verb of use can mean: "the connection pool" is `connectionPool`, too. */
function usedNames(asked: string): readonly string[] {
  const [first, second] = usedObject(asked) ?? [];
  if (first === undefined) return [];
  const isAlone = second === undefined || afterName.test(second) || isKindOfName(second);
  if (isAlone || looksLikeCode(first)) return [first];
  const [a, b] = [first.toLowerCase(), second.toLowerCase()];
  return [`${a}_${b}`, `${a}${capital(b)}`, `${capital(a)}${capital(b)}`];
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Finds the definitions of the names that the prompt mentions, most likely first. */
async function findSymbols(
  { graph }: VisibleGraph,
  scope: OrgScope,
  names: readonly string[],
  ranked: RankedCode,
): Promise<readonly GraphNode[]> {
  const repositories = ranked.named.length === 0 ? undefined : ranked.named.map(({ id }) => id as string);
  const found = new Map<string, GraphNode>();
  for (const name of names) {
    const last = partsOf(name).at(-1) ?? name;
    if (last.length < 3) continue;
    const search = { text: last, kinds: ['symbol'], limit: max.definitions, repositories } as const;
    const { nodes } = await graph.search(scope, search);
    for (const node of nodes) if (node.name === last && isQualified(node, name)) found.set(node.key, node);
  }
  const weightOf = likelihood(ranked);
  return [...found.values()]
    .map((node) => ({ node, weights: weightOf(node) }))
    .toSorted((a, b) => firstDifference(a.weights, b.weights))
    .map(({ node }) => node);
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((weight, index) => weight !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/**
 * Returns a function that returns how likely a definition is meant, as numbers that are compared in turn, less being
 * better: a name written as in code before a word of prose that is a name by chance, the product before tests, the
 * member of what the question names before another, the repository and file that the search ranks best.
 */
function likelihood({ files, subject }: RankedCode): (node: GraphNode) => readonly number[] {
  const order = new Map(files.map(({ repository, path }, index) => [fileKey(repository, path), index]));
  const repositories = [...new Set(files.map(({ repository }) => repository as string))];
  const written = new Set(subject.identifiers.map((name) => partsOf(name).at(-1) ?? name));
  const words = new Set(
    [...subject.terms, ...subject.identifiers.flatMap(partsOf)].map((word) => word.toLowerCase()),
  );
  const isNamed = (one: string): boolean => words.has(one.toLowerCase());
  return (node) => {
    const { repositoryId = '', path = '' } = placeOfKey(node.key) ?? {};
    const repository = repositories.indexOf(repositoryId);
    const around = containersOf(node);
    return [
      Number(!written.has(node.name)),
      Number(isTestPath(node.key)),
      Number(!around.some(isNamed)),
      repository < 0 ? repositories.length : repository,
      Number(isDeclarationFile(path)),
      Number(around.length > 0),
      order.get(fileKey(repositoryId, path)) ?? files.length,
    ];
  };
}

/** Returns the names of the definitions around one. */
function containersOf({ props }: GraphNode): readonly string[] {
  return typeof props['qualifiedName'] === 'string' ? partsOf(props['qualifiedName']).slice(0, -1) : [];
}

function partsOf(name: string): readonly string[] {
  return name.split(/\.|::|#/u);
}

/** Returns whether a symbol can have the name as written: `Lease.release` is a member of something named `Lease`. */
function isQualified({ props, name }: GraphNode, written: string): boolean {
  const qualified = props['qualifiedName'];
  const parts = partsOf(written);
  if (parts.length < 2 || typeof qualified !== 'string') return true;
  return qualified === name || qualified.endsWith(parts.slice(-2).join('.'));
}
