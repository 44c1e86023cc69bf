import type { Node, Tree } from 'web-tree-sitter';
import type { Enclosing } from './enclosing.ts';
import type { RawUse } from './place-uses.ts';

interface Names {
  /** The uses that are known otherwise. */
  readonly uses: readonly RawUse[];
  /** The names that the file defines or imports. */
  readonly known: ReadonlySet<string>;
  readonly enclosing: Enclosing;
}

const inCapitals = /(?<![\w$])_*[A-Z][A-Z\d_]+(?![\w$])/g;
const nameNode = /identifier$|^(?:constant|name)$/;
const importNode = /import|^use_|using/;
/** Maximum number of places that are looked at. A file with more is data; in its wide tree, each takes long to find. */
const maxPlaces = 1_000;

/**
 * Finds the names in capitals that a file knows, one of each in each definition. They stand anywhere in its code except
 * as members and in imports. A query for each name of the tree would take up to a third of the time of parsing.
 */
export function readConstants(
  { rootNode }: Tree,
  text: string,
  { uses, known, enclosing }: Names,
): readonly RawUse[] {
  const used = new Set(uses.map(({ offset }) => offset));
  const found = new Map<string, RawUse>();
  let places = 0;
  for (const { 0: name, index: offset } of text.matchAll(inCapitals)) {
    if (!known.has(name) || used.has(offset) || isMember(text, offset)) continue;
    const { symbol } = enclosing.at(offset);
    const id = `${symbol} ${name}`;
    if (found.has(id) || (symbol !== undefined && enclosing.symbols[symbol]?.name === name)) continue;
    if ((places += 1) > maxPlaces) break;
    const node = rootNode.descendantForIndex(offset, offset + name.length);
    if (
      node?.startIndex !== offset ||
      node.endIndex !== offset + name.length ||
      !nameNode.test(node.type) ||
      isImported(node)
    )
      continue;
    const line = node.startPosition.row + 1;
    found.set(id, { kind: 'value', name, receiver: undefined, line, offset, isPath: false });
  }
  return [...found.values()];
}

/** Returns whether a name is a member of what stands before it. The end of a range (`0..MAX`) is none. */
function isMember(text: string, offset: number): boolean {
  return /(?:^|[^.])\.$|::$|->$/.test(text.slice(Math.max(0, offset - 2), offset));
}

function isImported(node: Node): boolean {
  const around = [node.parent, node.parent?.parent];
  return around.some((each) => each && importNode.test(each.type));
}
