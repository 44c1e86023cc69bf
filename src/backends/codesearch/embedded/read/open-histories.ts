import { type History, historyVersion, readHistory } from '../format/history-file.ts';

interface OpenHistory {
  readonly version: string;
  readonly history: History | undefined;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** Maximum size of the histories in memory, in bytes. Most histories take about 1 MB. */
const defaultMaxBytes = 64 << 20;
/** Fixed size of an open history, in bytes. */
const overhead = 64 << 10;

/** A cache of the histories that one thread has read, by folder. Evicts the least recently used histories. */
export class OpenHistories {
  readonly #open = new Map<string, OpenHistory>();
  readonly #maxBytes: number;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the history in a folder, or `undefined` if there is none that can be read. */
  read(folder: string): History | undefined {
    const known = this.#open.get(folder);
    const version = historyVersion(folder);
    this.#open.delete(folder);
    if (version === undefined) return undefined;
    const open = known?.version === version ? known : openHistory(folder, version);
    this.#open.set(folder, open);
    this.#evictLeastRecentlyUsed();
    return open.history;
  }

  #evictLeastRecentlyUsed(): void {
    let bytes = [...this.#open.values()].reduce((sum, open) => sum + open.bytes, 0);
    for (const [folder, open] of this.#open) {
      if (bytes <= this.#maxBytes) return;
      this.#open.delete(folder);
      bytes -= open.bytes;
    }
  }
}

function openHistory(folder: string, version: string): OpenHistory {
  const history = readHistory(folder);
  return { version, history, bytes: overhead + (history === undefined ? 0 : sizeOf(history)) };
}

/**
 * Returns the approximate size in bytes. A path is stored once, regardless of the number of commits that touched it.
 */
function sizeOf({ commits }: History): number {
  const paths = new Set(commits.flatMap((commit) => commit.paths));
  const ofPaths = [...paths].reduce((sum, path) => sum + path.length, 0);
  return commits.reduce(
    (sum, { terms, paths: touched }) => sum + terms.byteLength + 8 * touched.length,
    ofPaths,
  );
}
