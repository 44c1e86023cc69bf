import type { Tree } from 'web-tree-sitter';

/** Where a constant is read. */
export interface ConstantRead {
  readonly name: string;
  readonly offset: number;
  /** 1-based. */
  readonly line: number;
}

const inCapitals = /(?<![\w$])_*[A-Z][A-Z\d_]+(?![\w$])/g;
/** What is before a member, but not before the end of a range (`0..MAX`). */
const member = /(?:^|[^.])\.$|::$|->$/;
const nameNode = /identifier$|^(?:constant|name)$/;
const importNode = /import|^use_|using/;
/** Number of nodes between a name and the statement that imports it. */
const importDepth = 3;

/**
 * Finds the names in capitals among those that a file knows, wherever they stand in its code but as members and in
 * imports. Matching each name of the tree with a query takes a third of the time of parsing.
 */
export function readConstants(
  { rootNode }: Tree,
  text: string,
  isKnown: (name: string) => boolean,
): readonly ConstantRead[] {
  const found: ConstantRead[] = [];
  for (const { 0: name, index: offset } of text.matchAll(inCapitals)) {
    if (!isKnown(name) || member.test(text.slice(Math.max(0, offset - 2), offset))) continue;
    const node = rootNode.descendantForIndex(offset, offset + name.length);
    if (node?.startIndex !== offset || !nameNode.test(node.type)) continue;
    let around = node.parent;
    for (let depth = 1; depth < importDepth && around !== null && !importNode.test(around.type); depth++)
      around = around.parent;
    if (around !== null && importNode.test(around.type)) continue;
    found.push({ name, offset, line: node.startPosition.row + 1 });
  }
  return found;
}
