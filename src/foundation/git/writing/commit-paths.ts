import { InvalidInput } from '../../kernel/errors.ts';
import { writablePathFault } from './writable-path.ts';

export interface CommitLimits {
  /** Written and deleted ones. */
  readonly maxFiles: number;
  /** Of all contents together. */
  readonly maxBytes: number;
}

/** The paths of one commit, each checked before anything of it is written. */
export class CommitPaths {
  readonly #roots: readonly string[];
  readonly #limits: CommitLimits;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #deleted = new Set<string>();
  #taken = 0;
  #bytes = 0;

  constructor(roots: readonly string[], limits: CommitLimits) {
    this.#roots = roots;
    this.#limits = limits;
  }

  /** Files that are to be deleted and were not written again since. */
  get deleted(): readonly string[] {
    return [...this.#deleted];
  }

  /** @throws InvalidInput */
  take(path: string, content: Uint8Array | null): void {
    const fault = writablePathFault(path, this.#roots);
    if (fault !== undefined) throw refused('path', `The path ${shown(path)} ${fault}`);
    this.#count(content?.length ?? 0);
    if (content === null) {
      this.#files.delete(path);
      this.#deleted.add(path);
    } else {
      this.#deleted.delete(path);
      this.#writeFile(path);
    }
  }

  #count(bytes: number): void {
    const { maxFiles, maxBytes } = this.#limits;
    this.#taken += 1;
    this.#bytes += bytes;
    if (this.#taken > maxFiles || this.#bytes > maxBytes) {
      throw refused('changes', `One commit holds at most ${maxFiles} files and ${maxBytes} bytes.`);
    }
  }

  #writeFile(path: string): void {
    const folders = foldersOf(path);
    if (this.#folders.has(path) || folders.some((folder) => this.#files.has(folder))) {
      throw refused('path', `The path ${shown(path)} is a file and a folder in the same commit.`);
    }
    this.#files.add(path);
    for (const folder of folders) this.#folders.add(folder);
  }
}

function foldersOf(path: string): readonly string[] {
  const folders = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}

function refused(field: string, message: string): InvalidInput {
  return new InvalidInput(message, { errors: [{ path: field, message }] });
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
