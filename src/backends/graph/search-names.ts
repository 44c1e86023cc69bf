import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { type NumberedNode, plainNode } from './adjacency.ts';
import { foldName, queryWords } from './name-terms.ts';
import { type GraphNode, type GraphSearch, type NodeKind, nodeKinds } from './port.ts';
import { readCursor, type SearchPosition, writeCursor } from './search-cursor.ts';

/** Maximum number of names of each kind that one search reads, in case its filter leaves most of them out. */
export const maxNamesRead = 5_000;

export interface NamedNode extends NumberedNode {
  readonly folded: string;
}

export interface NameQuery {
  readonly folded: string;
  readonly words: readonly string[];
  readonly kinds: readonly NodeKind[];
  readonly repositories: readonly string[] | undefined;
  readonly after: Pick<SearchPosition, 'folded' | 'id'> | undefined;
  readonly limit: number;
}

/** The two look-ups of a store. Both order by folded name and number, and return at most `limit` nodes. */
export interface NameIndex {
  /** Nodes whose folded name begins with the text. */
  byPrefix(scope: DataScope, query: NameQuery): Promise<readonly NamedNode[]>;
  /** Nodes in whose names each word begins a term, without those of `byPrefix`. */
  byWords(scope: DataScope, query: NameQuery): Promise<readonly NamedNode[]>;
}

/** Returns names that begin with the text first, then names that contain its words. */
export async function searchNames(
  index: NameIndex,
  scope: DataScope,
  { text, kinds, repositories, limit, cursor }: GraphSearch,
): Promise<{ readonly nodes: readonly GraphNode[]; readonly nextCursor: string | null }> {
  const position = cursor === undefined ? undefined : readCursor(cursor);
  const folded = foldName(text.trim());
  const words = queryWords(text);
  if (folded === '') return { nodes: [], nextCursor: null };
  const query = { folded, words, kinds: [...new Set(kinds ?? nodeKinds)], repositories };
  const found: { node: NamedNode; prefix: boolean }[] = [];
  if (position?.prefix !== false) {
    const nodes = await index.byPrefix(scope, { ...query, after: position, limit: limit + 1 });
    found.push(...nodes.map((node) => ({ node, prefix: true })));
  }
  if (found.length <= limit && words.length > 0) {
    const after = position?.prefix === false ? position : undefined;
    const nodes = await index.byWords(scope, { ...query, after, limit: limit + 1 - found.length });
    found.push(...nodes.map((node) => ({ node, prefix: false })));
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    nodes: page.map(({ node }) => plainNode(node)),
    nextCursor:
      last === undefined
        ? null
        : writeCursor({ prefix: last.prefix, folded: last.node.folded, id: last.node.id }),
  };
}

/** Returns the first text after all texts that begin with `prefix`, in the order of code points. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

/** A single letter begins too many terms, so it must be a whole one. */
export function isPrefixWord(word: string): boolean {
  return word.length > 1;
}
