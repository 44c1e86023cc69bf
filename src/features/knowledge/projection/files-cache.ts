import { RenamesCache } from './renames-cache.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** Maximum number of files of all repositories that are kept, besides the latest repository. */
const maxFiles = 20_000;

/** The files and renames of the repositories that were projected last. What is missing is read from the repository. */
export class FilesCache {
  readonly renames = new RenamesCache();
  readonly #files = new Map<string, RepositoryFiles>();

  /** Returns the files and forgets them: a run that fails leaves them half changed. The caller closes them. */
  take(repositoryId: string): RepositoryFiles | undefined {
    const files = this.#files.get(repositoryId);
    this.#files.delete(repositoryId);
    return files;
  }

  put(repositoryId: string, files: RepositoryFiles): void {
    this.delete(repositoryId);
    if (files.isWasteful) {
      files.close();
      return;
    }
    this.#files.set(repositoryId, files);
    let count = [...this.#files.values()].reduce((sum, { known }) => sum + known.size, 0);
    for (const [id, { known }] of this.#files) {
      if (count <= maxFiles || id === repositoryId) return;
      this.delete(id);
      count -= known.size;
    }
  }

  delete(repositoryId: string): void {
    this.#files.get(repositoryId)?.close();
    this.#files.delete(repositoryId);
  }
}
