import { type History, historyVersion, readHistory } from '../format/history-file.ts';

interface OpenHistory {
  readonly version: string;
  readonly history: History | undefined;
  /** About as many as it takes in memory. */
  readonly bytes: number;
}

/** Of histories held in memory; most take about one of them. */
const MOST_BYTES = 64 << 20;
/** Of one that is open, whatever it holds. */
const OVERHEAD = 64 << 10;

/** The histories that one thread has read, by folder; those not asked for longest go first. */
export class OpenHistories {
  readonly #open = new Map<string, OpenHistory>();
  readonly #mostBytes: number;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** `undefined` when there is none, or none that can be read. */
  of(folder: string): History | undefined {
    const known = this.#open.get(folder);
    const version = historyVersion(folder);
    this.#open.delete(folder);
    if (version === undefined) return undefined;
    const open = known?.version === version ? known : openHistory(folder, version);
    this.#open.set(folder, open);
    this.#closeLeastUsed();
    return open.history;
  }

  #closeLeastUsed(): void {
    let bytes = [...this.#open.values()].reduce((sum, open) => sum + open.bytes, 0);
    for (const [folder, open] of this.#open) {
      if (bytes <= this.#mostBytes) return;
      this.#open.delete(folder);
      bytes -= open.bytes;
    }
  }
}

function openHistory(folder: string, version: string): OpenHistory {
  const history = readHistory(folder);
  return { version, history, bytes: OVERHEAD + (history === undefined ? 0 : sizeOf(history)) };
}

/** A path is held once, however many commits touched it. */
function sizeOf({ commits }: History): number {
  const paths = new Set(commits.flatMap((commit) => commit.paths));
  const ofPaths = [...paths].reduce((sum, path) => sum + path.length, 0);
  return commits.reduce(
    (sum, { terms, paths: touched }) => sum + terms.byteLength + 8 * touched.length,
    ofPaths,
  );
}
