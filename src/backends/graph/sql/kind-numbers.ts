import { createHash } from 'node:crypto';
import { edgeKinds, isNodeKind, nodeKinds } from '../port.ts';

/*
 * Kinds are stored as their places in the lists of the port, of which that of edges is alphabetical: ordering by the
 * number is ordering by the name, as Neo4j does. A changed list needs a new version of `graphSchema`.
 */

const edgeNumbers: ReadonlyMap<string, number> = new Map(edgeKinds.map((kind, index) => [kind, index]));
const nodeNumbers: ReadonlyMap<string, number> = new Map<string, number>(
  nodeKinds.map((kind, index) => [kind, index]),
);

/** Returns the number of a kind of edges. @throws TypeError for a kind that does not exist */
export function edgeKindNumber(kind: string): number {
  const found = edgeNumbers.get(kind);
  if (found === undefined) throw new TypeError(`no kind of an edge: ${kind}`);
  return found;
}

/** Returns the numbers of those kinds of edges that exist. */
export function edgeKindNumbers(kinds: readonly string[]): readonly number[] {
  return kinds.flatMap((kind) => edgeNumbers.get(kind) ?? []);
}

export function edgeKindOf(number: number): string {
  return edgeKinds[number] ?? '';
}

/** Returns the number of the kind that begins a key. @throws TypeError for a key that begins with no kind */
export function nodeNumberOfKey(key: string): number {
  const kind = kindOfKey(key);
  if (!isNodeKind(kind)) throw new TypeError(`no key of a node: ${key}`);
  return nodeKindNumber(kind);
}

/** Returns the number of a kind of nodes: its place in the list, or 31 bits of a hash for a kind that is not listed. */
export function nodeKindNumber(kind: string): number {
  return nodeNumbers.get(kind) ?? hashOfKind(kind);
}

function hashOfKind(kind: string): number {
  return nodeKinds.length + (createHash('sha256').update(kind).digest().readUInt32BE() % (2 ** 31 - 64));
}

/** Returns the kind of a node, which begins its key. */
export function kindOfKey(key: string): string {
  return key.slice(0, key.indexOf(':'));
}
