import { createHash } from 'node:crypto';
import type { NewPath } from '../../../foundation/git/objects/history/new-paths.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';

/**
 * Knows the present path of each renamed file by its former ones. A path that a later file took again means that file.
 */
export class RenamedPaths {
  /** Renamed files by each path that they had and that no file took since. */
  readonly #former = new Map<string, { path: string }>();
  /** The same files by their present path. */
  readonly #present = new Map<string, { path: string }>();

  /** Adds what a commit made. Commits are added oldest first. */
  add({ path, from }: NewPath): void {
    const file = from === undefined ? undefined : (this.#present.get(from) ?? { path });
    if (file !== undefined && from !== undefined) {
      this.#present.delete(from);
      this.#former.set(from, file);
      file.path = path;
    }
    this.#former.delete(path);
    if (file === undefined) this.#present.delete(path);
    else this.#present.set(path, file);
  }

  /** Returns the present path of a file that had a path before; `undefined` if no such file was renamed. */
  presentPath(former: string): string | undefined {
    return this.#former.get(former)?.path;
  }

  /** Returns a hash of what `presentPath` returns for all paths. */
  hash(): string {
    const hash = createHash('sha256');
    for (const [former, { path }] of [...this.#former].toSorted(([a], [b]) => compareText(a, b)))
      hash.update(`${former}\0${path}\0`);
    return hash.digest('hex').slice(0, 32);
  }
}
