import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey, placeOfKey } from '../../knowledge/links/keys.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import type { Inquiry } from './inquiry.ts';

/** The file or symbol that a question is about. */
export interface Target {
  readonly node: GraphNode;
  /** Key of the file that contains it. */
  readonly file: string;
  readonly path: string;
  readonly repositoryId: string;
  /** True if the prompt names it; false if the search found it. */
  readonly isNamed: boolean;
}

/** Returns the file or symbol that the prompt names, or else the best passage. */
export async function findTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const { named, code } = inquiry;
  const [symbol] = named.symbols;
  const [file] = named.files;
  // A path and a name together mean the definition of that name in that file.
  const inFile = named.symbols.find(({ key }) => named.files.some((one) => isIn(key, one.key)));
  const node = inFile ?? (file !== undefined && !isDistinct(inquiry, symbol) ? file : (symbol ?? file));
  if (node !== undefined) return targetOf(node, true);
  for (const passage of code.filter(({ kind }) => kind === 'code').slice(0, 1)) {
    const found = await nodeOf(inquiry, passage);
    if (found !== undefined) return targetOf(found, false);
  }
  return undefined;
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

/** Returns the symbol that a passage defines, or else its file, as the graph knows it. */
export async function nodeOf(
  { view, scope }: Inquiry,
  { repositoryId, path, definition }: Evidence<CodeSource>,
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
