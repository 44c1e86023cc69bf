import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { type Adjacency, type NumberedNode, plainNode } from './adjacency.ts';
import { foldName, queryWords } from './name-terms.ts';
import { type GraphNode, type GraphSearch, nodeKinds, originOfKey } from './port.ts';
import { fingerprintOf, readCursor, type SearchPosition, writeCursor } from './search-cursor.ts';

/** Maximum number of names with the words of a search that it reads, in case its kinds leave most of them out. */
export const maxNamesRead = 5_000;

export interface NamedNode extends NumberedNode {
  readonly folded: string;
}

export interface NameQuery {
  readonly folded: string;
  /** True if `byPrefix` finds only names that are the text. */
  readonly whole: boolean;
  readonly words: readonly string[];
  readonly kinds: readonly string[];
  readonly origins: readonly string[] | undefined;
  readonly after: { readonly folded: string; readonly id: number } | undefined;
  readonly limit: number;
}

/** The look-ups of a store. Those by name order by folded name and number, and return at most `limit` nodes. */
export interface NameIndex extends Pick<Adjacency, 'nodesByKey'> {
  /** Nodes whose folded name begins with the text, or is the text if it must be whole. */
  byPrefix(scope: DataScope, query: NameQuery): Promise<readonly NamedNode[]>;
  /** Nodes in whose names each word begins a term, without those of `byPrefix`. */
  byWords(scope: DataScope, query: NameQuery): Promise<readonly NamedNode[]>;
}

/** Returns names that begin with the text first, then names that contain its words unless the name must be whole. */
export async function searchNames(
  index: NameIndex,
  scope: DataScope,
  search: GraphSearch,
): Promise<{ readonly nodes: readonly GraphNode[]; readonly nextCursor: string | null }> {
  const { origins, limit, cursor } = search;
  const query = queryOf(search);
  const { folded, words } = query;
  const fingerprint = fingerprintOf(scope, query);
  const position = cursor === undefined ? undefined : readCursor(cursor, fingerprint);
  if (folded === '' || origins?.length === 0) return { nodes: [], nextCursor: null };
  const last = position && { folded: position.folded, id: await numberOf(index, scope, position, origins) };
  const found: { node: NamedNode; prefix: boolean }[] = [];
  if (position?.prefix !== false) {
    const nodes = await index.byPrefix(scope, { ...query, after: last, limit: limit + 1 });
    found.push(...nodes.map((node) => ({ node, prefix: true })));
  }
  if (found.length <= limit && words.length > 0) {
    const after = position?.prefix === false ? last : undefined;
    const nodes = await index.byWords(scope, { ...query, after, limit: limit + 1 - found.length });
    found.push(...nodes.map((node) => ({ node, prefix: false })));
  }
  const page = found.slice(0, limit);
  const end = found.length > limit ? page.at(-1) : undefined;
  return {
    nodes: page.map(({ node }) => plainNode(node)),
    nextCursor:
      end === undefined
        ? null
        : writeCursor({ prefix: end.prefix, folded: end.node.folded, key: end.node.key }, fingerprint),
  };
}

function queryOf({ text, whole = false, kinds, origins }: GraphSearch): Omit<NameQuery, 'after' | 'limit'> {
  return {
    folded: foldName(text.trim()),
    whole,
    words: whole ? [] : queryWords(text),
    kinds: [...new Set(kinds ?? nodeKinds)],
    origins,
  };
}

/**
 * Returns the number of the node that a cursor names. 0 for one that is gone, so that nodes with the same name may come
 * again, and for one that the search cannot find: a forged cursor must not tell that it exists.
 */
async function numberOf(
  index: NameIndex,
  scope: DataScope,
  { key }: SearchPosition,
  origins: readonly string[] | undefined,
): Promise<number> {
  if (origins?.includes(originOfKey(key) ?? '') === false) return 0;
  const [node] = await index.nodesByKey(scope, [key]);
  return node?.id ?? 0;
}

/** Returns the first text after all texts that begin with `prefix`, in the order of code points. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

/** A single letter begins too many terms, so it must be a whole one. */
export function isPrefixWord(word: string): boolean {
  return word.length > 1;
}
