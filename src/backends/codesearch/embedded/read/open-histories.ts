import { type History, historyVersion, readHistory } from '../format/history-file.ts';

interface OpenHistory {
  readonly version: string;
  readonly history: History | undefined;
}

/** Histories held in memory; each of them about a megabyte. */
const MOST_OPEN = 64;

/** The histories that one thread has read, by folder; those not asked for longest go first. */
export class OpenHistories {
  readonly #open = new Map<string, OpenHistory>();

  /** `undefined` when there is none, or none that can be read. */
  of(folder: string): History | undefined {
    const known = this.#open.get(folder);
    const version = historyVersion(folder);
    this.#open.delete(folder);
    if (version === undefined) return undefined;
    const open = known?.version === version ? known : { version, history: readHistory(folder) };
    this.#open.set(folder, open);
    if (this.#open.size > MOST_OPEN) this.#open.delete(this.#open.keys().next().value ?? '');
    return open.history;
  }
}
