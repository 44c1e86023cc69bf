import { historyVersion, readHistory } from '../format/history-file.ts';
import { type PreparedHistory, prepareHistory } from './prepared-history.ts';

interface OpenHistory {
  readonly version: string;
  readonly history: PreparedHistory | undefined;
}

/** Maximum size of the histories in memory, in bytes. */
const defaultMaxBytes = 64 << 20;

/** A cache of the histories that one thread has read, by folder. Evicts the least recently used histories. */
export class OpenHistories {
  readonly #open = new Map<string, OpenHistory>();
  readonly #maxBytes: number;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the history in a folder, or `undefined` if there is none that can be read. */
  read(folder: string): PreparedHistory | undefined {
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
    let bytes = [...this.#open.values()].reduce((sum, open) => sum + sizeOf(open), 0);
    for (const [folder, open] of this.#open) {
      if (bytes <= this.#maxBytes) return;
      this.#open.delete(folder);
      bytes -= sizeOf(open);
    }
  }
}

function openHistory(folder: string, version: string): OpenHistory {
  const history = readHistory(folder);
  return { version, history: history && prepareHistory(history) };
}

function sizeOf({ history }: OpenHistory): number {
  return overhead + (history?.bytes ?? 0);
}

/** Approximate size of an entry without a history, in bytes. */
const overhead = 1024;
