import { createHash } from 'node:crypto';

/** The hash functions of repositories, by the length of an id. */
const algorithms: ReadonlyMap<number, string> = new Map([
  [40, 'sha1'],
  [64, 'sha256'],
]);

/** Returns the id that Git gives to a file with this content, in a repository whose ids have `idLength` digits. */
export function blobId(content: Uint8Array, idLength: number): string {
  const algorithm = algorithms.get(idLength);
  if (algorithm === undefined) throw new Error(`${idLength} digits are not the length of an id`);
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}
