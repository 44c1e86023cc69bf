import { readNewPaths } from '../../../foundation/git/objects/history/new-paths.ts';
import { RenamedPaths } from '../links/commit-facts.ts';
import type { ProjectedRepository } from './projected-repositories.ts';

/** The renames in the history of a commit. */
interface Renames {
  readonly commit: string;
  readonly paths: RenamedPaths;
  readonly hash: string;
}

/** Maximum number of repositories whose renames are kept. */
const maxRepositories = 50;

/** The renames of the repositories that were projected last. After a push, only the new commits are read. */
export class RenamesCache {
  readonly #renames = new Map<string, Renames>();

  /**
   * Returns the renames in the history of a repository, which contains the commit `former`. @throws GitError; the
   * reason of `signal`
   */
  async read(
    { id, gitDir, commit }: ProjectedRepository,
    former: string | undefined,
    signal: AbortSignal,
  ): Promise<Renames> {
    const kept = this.#renames.get(id);
    // A run that fails leaves the paths half changed.
    this.#renames.delete(id);
    const known = kept?.commit === former || kept?.commit === commit ? kept : undefined;
    const read = known?.commit === commit ? known : await readRenames(gitDir, commit, known, signal);
    this.#renames.set(id, read);
    for (const other of this.#renames.keys()) {
      if (this.#renames.size <= maxRepositories) break;
      this.#renames.delete(other);
    }
    return read;
  }

  delete(repositoryId: string): void {
    this.#renames.delete(repositoryId);
  }
}

async function readRenames(
  gitDir: string,
  commit: string,
  known: Renames | undefined,
  signal: AbortSignal,
): Promise<Renames> {
  const paths = known?.paths ?? new RenamedPaths();
  for await (const made of readNewPaths(gitDir, { to: commit, after: known?.commit }, signal))
    paths.add(made);
  return { commit, paths, hash: paths.hash() };
}
