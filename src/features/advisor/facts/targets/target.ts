import type { GraphNode } from '../../../../backends/graph/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { fileKey, placeOfKey } from '../../../knowledge/links/keys.ts';
import { chooseDefinition } from '../definitions/choose-definition.ts';
import type { Inquiry } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';

/** The file or symbol that a question is about. */
export interface Target {
  readonly node: GraphNode;
  /** Key of the file that contains it. */
  readonly file: string;
  readonly path: string;
  readonly repositoryId: RepositoryId;
  /** True if the prompt names it; false if the search found it. */
  readonly isNamed: boolean;
  /** Name of the class of a definition that the search found. */
  readonly container?: string | undefined;
}

/** Returns the file or symbol that the prompt names, or else the one of the product that fits best. */
export async function findTarget(inquiry: Inquiry): Promise<Target | undefined> {
  return (await findTargets(inquiry))[0];
}

/** Minimum score of a definition that may be meant besides the best one, as a share of its score. */
const minShare = 0.7;
const maxTargets = 2;

/** Returns the file or symbol that the prompt names, or else those of the product that fit best. */
export async function findTargets(inquiry: Inquiry): Promise<readonly Target[]> {
  const { named } = inquiry;
  const [symbol] = named.symbols;
  const [file] = named.files;
  // A path and a name together mean the definition of that name in that file.
  const inFile = named.symbols.find(({ key }) => named.files.some((one) => isIn(key, one.key)));
  const node = inFile ?? (file !== undefined && !isDistinct(inquiry, symbol) ? file : (symbol ?? file));
  if (node !== undefined) return [targetOf(node, true)].filter((one) => one !== undefined);
  const places = inquiry.kind === 'owners' ? bestFile(inquiry) : await bestDefinitions(inquiry);
  const passages = inquiry.code.filter(({ kind }) => kind === 'code').slice(0, 1);
  const nodes = await Promise.all((places.length > 0 ? places : passages).map((one) => nodeOf(inquiry, one)));
  return nodes.flatMap((one, index) => {
    const found = one === undefined ? undefined : targetOf(one, false);
    return found === undefined ? [] : [{ ...found, container: places[index]?.container }];
  });
}

/** Returns the class of a definition that the search found; `undefined` if there is none. */
export async function containerOf(inquiry: Inquiry, target: Target): Promise<Target | undefined> {
  const { container: name, path, repositoryId } = target;
  if (name === undefined) return undefined;
  const line = Number(target.node.props['startLine'] ?? 1);
  const node = await nodeOf(inquiry, { repositoryId, path, definition: { name, line } });
  return node?.kind === 'symbol' ? targetOf(node, false) : undefined;
}

/** People own files, not definitions. */
function bestFile({ ranked }: Inquiry): readonly DefinedPlace[] {
  const file = ranked.files.find(isProductFile);
  return file === undefined ? [] : [{ repositoryId: file.repository, path: file.path }];
}

async function bestDefinitions(inquiry: Inquiry): Promise<readonly DefinedPlace[]> {
  const { best } = await chooseDefinition(inquiry);
  return best
    .filter(({ score }) => score >= minShare * (best[0]?.score ?? 0))
    .filter(({ file }, index, all) => all.findIndex((one) => one.file === file) === index)
    .slice(0, maxTargets)
    .map(({ file: { repository, path }, definition, container }) => ({
      repositoryId: repository,
      path,
      definition,
      container,
    }));
}

/** A name as code is written, which a word of the sentence cannot be. */
function isDistinct({ ranked }: Inquiry, symbol: GraphNode | undefined): boolean {
  return symbol !== undefined && ranked.subject.identifiers.some((name) => name.endsWith(symbol.name));
}

function isIn(symbol: string, file: string): boolean {
  const place = placeOfKey(symbol);
  return place !== undefined && fileKey(place.repositoryId, place.path) === file;
}

/** Returns a file or symbol as a target; `undefined` for another entity. */
export function targetOf(node: GraphNode, isNamed: boolean): Target | undefined {
  const place = placeOfKey(node.key);
  if (place === undefined) return undefined;
  return { node, isNamed, ...place, file: fileKey(place.repositoryId, place.path) };
}

/** A file, and a definition in it. */
interface DefinedPlace {
  readonly repositoryId: string;
  readonly path: string;
  readonly definition?: { readonly name: string; readonly line: number };
  /** Name of the class that the definition is a member of. */
  readonly container?: string | undefined;
}

/** Returns the symbol that a passage defines, or else its file, as the graph knows it. */
export async function nodeOf(
  { view, scope }: Inquiry,
  { repositoryId, path, definition }: DefinedPlace,
): Promise<GraphNode | undefined> {
  const file = fileKey(repositoryId, path);
  if (definition !== undefined) {
    const search = {
      text: definition.name,
      kinds: ['symbol'],
      repositories: [repositoryId],
      limit: 60,
    } as const;
    const { nodes } = await view.graph.search(scope, search);
    const own = nodes.filter(({ name, key }) => name === definition.name && isIn(key, file));
    const [nearest] = own.toSorted(
      (a, b) => Math.abs(lineOf(a) - definition.line) - Math.abs(lineOf(b) - definition.line),
    );
    if (nearest !== undefined) return nearest;
  }
  return (await view.graph.get(scope, [file])).nodes[0];
}

function lineOf({ props }: GraphNode): number {
  return typeof props['startLine'] === 'number' ? props['startLine'] : 0;
}
