import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';

/** Maximum numbers of files and lines of a search with `everyLine`. */
export const maxListed = { files: 100_000, lines: 1_000_000 } as const;

/** The matching lines of a search, in arrays: a frequent word has a million, and threads copy arrays at once. */
export interface ListedLines {
  readonly repositories: readonly ListedRepository[];
  /** Number of further matching lines, which are counted and not listed because of a limit. */
  readonly unlisted: number;
}

export interface ListedRepository {
  readonly repository: RepositoryId;
  /** The commit of the files. */
  readonly commit: string;
  /** The paths of the files with matching lines, in ascending order. */
  readonly paths: readonly string[];
  /** The place in `lines` after the lines of each path. */
  readonly ends: Uint32Array;
  /** The numbers of the lines, 1-based, in ascending order in each file. */
  readonly lines: Uint32Array;
}

/** Yields the path of each file with the numbers of its lines. */
export function* listedFiles({ paths, ends, lines }: ListedRepository): Generator<[string, Uint32Array]> {
  for (const [index, path] of paths.entries())
    yield [path, lines.subarray(ends[index - 1] ?? 0, ends[index])];
}

type ListedPlace = Pick<ListedRepository, 'repository' | 'commit'>;

interface ListedFile {
  readonly path: string;
  readonly lines: ArrayLike<number>;
}

interface FileList {
  readonly place: ListedPlace;
  readonly files: ListedFile[];
}

/** Collects the lines of a search with `everyLine`, up to `maxListed` lines of a number of files. */
export class LineCollector {
  readonly #maxFiles: number;
  readonly #lists = new Map<string, FileList>();
  /** The list of the file before: files of one repository follow each other. */
  #last: FileList | undefined;
  #count = 0;
  #lines = 0;
  #unlisted = 0;

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  /** Adds the lines of a file, of which `placeOf` returns the place. Once a limit is reached, they are only counted. */
  add(lines: ArrayLike<number>, placeOf: () => ListedPlace & { readonly path: string }): void {
    const isFull = this.#count === this.#maxFiles || this.#lines + lines.length > maxListed.lines;
    if (isFull || this.#unlisted > 0) {
      this.#unlisted += lines.length;
      return;
    }
    const { repository, commit, path } = placeOf();
    this.#count += 1;
    this.#lines += lines.length;
    this.#listOf(repository, commit).files.push({ path, lines });
  }

  #listOf(repository: RepositoryId, commit: string): FileList {
    const last = this.#last;
    if (last?.place.repository === repository && last.place.commit === commit) return last;
    const id = `${repository} ${commit}`;
    const list = this.#lists.get(id) ?? { place: { repository, commit }, files: [] };
    this.#lists.set(id, list);
    this.#last = list;
    return list;
  }

  result(): ListedLines {
    return {
      repositories: [...this.#lists.values()].map(({ place, files }) => ({ ...place, ...listed(files) })),
      unlisted: this.#unlisted,
    };
  }
}

/** Returns the files in order of their paths, as arrays. */
function listed(files: readonly ListedFile[]): Omit<ListedRepository, keyof ListedPlace> {
  const inOrder = files.toSorted((one, other) => compareText(one.path, other.path));
  const ends = new Uint32Array(inOrder.length);
  let end = 0;
  for (const [index, { lines }] of inOrder.entries()) ends[index] = end += lines.length;
  const all = new Uint32Array(end);
  for (const [index, { lines }] of inOrder.entries()) all.set(lines, ends[index]! - lines.length);
  return { paths: inOrder.map(({ path }) => path), ends, lines: all };
}
