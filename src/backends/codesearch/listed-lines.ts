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
  readonly paths: PathList;
  /** The place in `lines` after the lines of each path. */
  readonly ends: Uint32Array;
  /** The numbers of the lines, 1-based, in ascending order in each file. */
  readonly lines: Uint32Array;
}

/** Paths one after the other in one text, with the place after each: a frequent word is in 20,000 files. */
export interface PathList {
  readonly text: string;
  readonly ends: Uint32Array;
}

/** Returns paths, packed. */
export function packPaths(paths: readonly string[]): PathList {
  const ends = new Uint32Array(paths.length);
  let end = 0;
  for (const [index, { length }] of paths.entries()) ends[index] = end += length;
  return { text: paths.join(''), ends };
}

/** Returns a path of a list; an empty text outside of it. */
export function pathAt({ text, ends }: PathList, index: number): string {
  return text.slice(ends[index - 1] ?? 0, ends[index] ?? 0);
}

/** Yields the path of each file with the numbers of its lines. */
export function* listedFiles({ paths, ends, lines }: ListedRepository): Generator<[string, Uint32Array]> {
  for (const [index, end] of ends.entries())
    yield [pathAt(paths, index), lines.subarray(ends[index - 1] ?? 0, end)];
}

type ListedPlace = Pick<ListedRepository, 'repository' | 'commit'>;

/** The files of a repository, in arrays: an object for each of 20,000 files is most of the work. */
interface FileList {
  readonly place: ListedPlace;
  readonly paths: string[];
  /** The place in `lines` after the lines of each path. */
  readonly ends: number[];
  /** It grows: what follows the last of `ends` is room. A list of numbers takes several times as long. */
  lines: Uint32Array;
}

/** Number of lines that a list has room for when its first file is added. */
const firstRoom = 256;

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

  /**
   * Adds the lines of a file, which are those from one place of an array to another. `placeOf` returns where the file
   * is. Once a limit is reached, lines are only counted.
   */
  add(
    lines: ArrayLike<number>,
    placeOf: () => ListedPlace & { readonly path: string },
    from = 0,
    to = lines.length,
  ): void {
    const isFull = this.#count === this.#maxFiles || this.#lines + to - from > maxListed.lines;
    if (isFull || this.#unlisted > 0) {
      this.#unlisted += to - from;
      return;
    }
    const { repository, commit, path } = placeOf();
    this.#count += 1;
    this.#lines += to - from;
    const list = this.#listOf(repository, commit);
    list.paths.push(path);
    // Copied: the array may have a million lines of files that are not listed.
    let end = list.ends.at(-1) ?? 0;
    list.lines = withRoom(list.lines, end + to - from);
    for (let place = from; place < to; place++) list.lines[end++] = lines[place]!;
    list.ends.push(end);
  }

  #listOf(repository: RepositoryId, commit: string): FileList {
    const last = this.#last;
    if (last?.place.repository === repository && last.place.commit === commit) return last;
    const id = `${repository} ${commit}`;
    const place = { repository, commit };
    const list = this.#lists.get(id) ?? { place, paths: [], ends: [], lines: new Uint32Array(firstRoom) };
    this.#lists.set(id, list);
    this.#last = list;
    return list;
  }

  result(): ListedLines {
    return {
      repositories: Array.from(this.#lists.values(), (list) => ({ ...list.place, ...listed(list) })),
      unlisted: this.#unlisted,
    };
  }
}

/** Returns an array with the numbers of another one and room for some, in all. */
function withRoom(lines: Uint32Array, count: number): Uint32Array {
  if (count <= lines.length) return lines;
  const larger = new Uint32Array(Math.max(count, 2 * lines.length));
  larger.set(lines);
  return larger;
}

/** Returns the files in order of their paths, as arrays. */
function listed({ paths, ends, lines }: FileList): Omit<ListedRepository, keyof ListedPlace> {
  const order = [...paths.keys()].toSorted((one, other) => compareText(paths[one]!, paths[other]!));
  const linesInOrder = new Uint32Array(ends.at(-1) ?? 0);
  const endsInOrder = new Uint32Array(order.length);
  let end = 0;
  for (const [index, file] of order.entries()) {
    for (let place = ends[file - 1] ?? 0; place < ends[file]!; place++) linesInOrder[end++] = lines[place]!;
    endsInOrder[index] = end;
  }
  return { paths: packPaths(order.map((file) => paths[file]!)), ends: endsInOrder, lines: linesInOrder };
}
