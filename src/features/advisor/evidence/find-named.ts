import { fileClassOf, isSamePath, languageOf } from '../../../backends/codesearch/port.ts';
import { aliasOf, type GraphNode } from '../../../backends/graph/port.ts';
import { NotFound, Unavailable } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { commitKey, fileKey, pullKey } from '../../knowledge/links/keys.ts';
import { definedName, definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import { findEntity } from '../../knowledge/queries/find-entity.ts';
import { step } from '../../knowledge/queries/related-node.ts';
import { targetOfName } from '../../references/reference-target.ts';
import { targetDefinitions } from '../../references/target-definitions.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { partsOfName, unqualified } from '../../search/symbol-name.ts';
import type { Inquiry, Named, Target } from '../inquiry.ts';
import { targetsIn } from './target.ts';

/** Maximum numbers of names and paths that are looked up, and of definitions that are read for a name. */
const max = { names: 8, definitions: 2_000, paths: 6 } as const;

export const nothingNamed: Named = {
  issues: [],
  incidents: [],
  commits: [],
  pulls: [],
  files: [],
  symbols: [],
  unknown: [],
};

/** Looks up the entities that a question names. */
export async function findNamed(inquiry: Inquiry): Promise<Named> {
  const { view, scope, question } = inquiry;
  const { mentions } = question;
  const keys = [...view.repositories.keys()].flatMap((id) => [
    ...mentions.commits.map((sha) => commitKey(id, sha)),
    ...mentions.pulls.map((number) => pullKey(id, number)),
  ]);
  const [issues, incidents, direct, files, symbols] = await Promise.all([
    findIssues(inquiry),
    findIncidents(inquiry),
    keys.length === 0 ? [] : view.graph.get(scope, keys).then(({ nodes }) => nodes),
    findFiles(inquiry),
    findSymbols(inquiry),
  ]);
  const pointed = await definitionsAtPlaces(inquiry, files);
  return {
    ...issues,
    incidents,
    commits: direct.filter(({ kind }) => kind === 'commit'),
    pulls: direct.filter(({ kind }) => kind === 'pr'),
    files,
    symbols: pointed.length > 0 ? pointed : symbols,
  };
}

/** Returns the innermost definitions around the lines of named files to which the question points. */
async function definitionsAtPlaces(inquiry: Inquiry, files: readonly Target[]): Promise<readonly Target[]> {
  const { view, scope, question } = inquiry;
  const found = await Promise.all(
    question.subject.places
      .slice(0, max.paths)
      .flatMap(({ path, line }) =>
        files
          .filter((file) => isSamePath(file.path, path))
          .map(({ node }) => definitionsAt(view.graph, scope, node.key, { first: line, last: line })),
      ),
  );
  const keys = new Set(found.flatMap(({ around }) => around?.key ?? []));
  return keys.size === 0 ? [] : targetsIn(inquiry, (await view.graph.get(scope, [...keys])).nodes);
}

async function findIssues({ view, scope, question }: Inquiry): Promise<Pick<Named, 'issues' | 'unknown'>> {
  const issues: GraphNode[] = [];
  const unknown: string[] = [];
  for (const name of question.mentions.issues) {
    const found = findEntity(view.graph, scope, name);
    const node = await found.catch(orUndefined((error) => error instanceof NotFound));
    if (node === undefined) unknown.push(name);
    else issues.push(node);
  }
  return { issues, unknown };
}

/** Finds incidents by id. */
async function findIncidents({ view, scope, question }: Inquiry): Promise<readonly GraphNode[]> {
  const from = question.mentions.incidentIds.map((id) => `alias:${id}`);
  if (from.length === 0) return [];
  const { nodes } = await step(view.graph, scope, { from, direction: 'out', kinds: [aliasOf] });
  return nodes.filter(({ kind }) => kind === 'incident');
}

/** Finds the files that the question names by their whole path or its end. */
async function findFiles(inquiry: Inquiry): Promise<readonly Target[]> {
  const { view, scope, question, ranked } = inquiry;
  const paths = question.subject.paths.slice(0, max.paths);
  if (paths.length === 0) return [];
  const isNamed = (path: string): boolean => paths.some((named) => isSamePath(path, named));
  const known = ranked.files
    .filter(({ path }) => isNamed(path))
    .map(({ repository, path }) => fileKey(repository, path));
  const whole = ranked.searched.flatMap(({ id, name }) =>
    paths.flatMap((path) => [
      fileKey(id, path),
      ...(path.startsWith(`${name}/`) ? [fileKey(id, path.slice(name.length + 1))] : []),
    ]),
  );
  const { nodes } = await view.graph.get(scope, [...new Set([...known, ...whole])]);
  const files = targetsIn(inquiry, nodes);
  const own = files.filter(({ repository }) => ranked.named.includes(repository));
  return own.length > 0 ? own : files;
}

/**
 * Returns the names that a question asks about, the subject first; the part of a qualified name is none. A plain word
 * is a name only where the question asks for uses or the impact of it, or for the change of what it calls an argument
 * or such a thing: in others it is a word of the sentence.
 */
export function askedNames({ question, ranked }: Pick<Inquiry, 'question' | 'ranked'>): readonly string[] {
  const { subject, mentions, kind } = question;
  const code = new Set(subject.identifiers);
  const isOfUses = kind === 'uses' || kind === 'impact';
  const names = new Set([
    ...(isOfUses || kind === 'change' ? mentions.things : []),
    ...mentions.things.filter((name) => code.has(name)),
    ...code,
    ...(isOfUses ? mentions.used : []),
  ]);
  const isPart = (name: string): boolean =>
    [...names].some((other) => other !== name && unqualified(other) === name);
  const isRepository = (name: string): boolean => ranked.repositories.some((one) => one.name === name);
  return [...names].filter((name) => partsOfName(name).length > 0 && !isPart(name) && !isRepository(name));
}

/** Finds the definitions with the names that a question asks about, the most likely first. */
async function findSymbols(inquiry: Inquiry): Promise<readonly Target[]> {
  const found = new Map<string, Target>();
  for (const name of askedNames(inquiry).slice(0, max.names)) {
    if (unqualified(name).length < 3) continue;
    const near = await findDefinitions(inquiry, name);
    const all = near.length > 0 ? near : await definitionsIn(inquiry, name, undefined);
    for (const one of all) found.set(one.node.key, one);
  }
  return [...found.values()];
}

/**
 * Finds the definitions with a name, likely ones first: in the repositories that the question certainly names and
 * that which the name begins with, as `click.echo`, else in all.
 */
export async function findDefinitions(inquiry: Inquiry, name: string): Promise<readonly Target[]> {
  const { named, repositories, isCertain } = inquiry.ranked;
  const [owner, ...inOwner] = partsOfName(name);
  const owners = repositories.filter((one) => inOwner.length > 0 && one.name === owner);
  return definitionsIn(inquiry, name, !isCertain || named.length === 0 ? undefined : [...named, ...owners]);
}

async function definitionsIn(
  inquiry: Inquiry,
  name: string,
  repositories: readonly SearchableRepository[] | undefined,
): Promise<readonly Target[]> {
  const { deps, scope, signal, ranked } = inquiry;
  const { graph } = inquiry.view;
  const origins = repositories?.map(({ id }) => String(id));
  const search = { text: unqualified(name), whole: true, kinds: ['symbol'], origins, limit: max.definitions };
  const { nodes } = await graph.search(scope, search);
  const same = nodes.filter((node) => node.name === unqualified(name));
  const lookup = { codeSearch: deps.codeSearch, graph, scope, signal, repositories: ranked.repositories };
  const asked = targetDefinitions(lookup, targetOfName(name), same.flatMap(definedName));
  // A busy engine does not end the question.
  const found = await asked.catch(orUndefined((error) => error instanceof Unavailable));
  const meant = found?.targets && new Set(found.targets.map(({ key }) => key));
  // A qualified name of which no definition is known means none of the others.
  const isMeant = ({ key }: GraphNode): boolean => meant?.has(key) ?? partsOfName(name).length < 2;
  return likelyFirst(ranked, targetsIn(inquiry, same.filter(isMeant)));
}

/**
 * Orders definitions by how likely it is that a question means them: tests last, then by the files that the ranking
 * prefers, a class before its constructor, and by their lines.
 */
function likelyFirst({ files }: Inquiry['ranked'], targets: readonly Target[]): readonly Target[] {
  const ranks = new Map(files.map(({ repository, path }, at) => [fileKey(repository, path), at]));
  const ordered = targets.map((target): { target: Target; order: readonly number[] } => {
    const { node, repository, path, lines } = target;
    const isTest = fileClassOf(path, languageOf(path)) === 'test';
    const rank = ranks.get(fileKey(repository.id, path)) ?? files.length;
    const depth = String(node.props['qualifiedName']).split('.').length;
    return { target, order: [Number(isTest), rank, depth, lines?.first ?? 0] };
  });
  const sorted = ordered.toSorted(
    (a, b) => a.order.map((one, at) => one - b.order[at]!).find((difference) => difference !== 0) ?? 0,
  );
  return sorted.map(({ target }) => target);
}
