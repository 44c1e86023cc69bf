import { RANK } from '../format/static-rank.ts';

/** How much each signal counts, measured on seven repositories (architecture, section 5). */
const WEIGHT = { content: 1, path: 0.5, exact: 0.6, history: 0.5, recency: 0.1 } as const;

export type Signal = keyof typeof WEIGHT;

/** Questions ask about the code first; tests and documents still answer some. */
const BY_RANK: Readonly<Record<number, number>> = {
  [RANK.source]: 1,
  [RANK.test]: 0.75,
  [RANK.docs]: 0.85,
  [RANK.vendored]: 0.3,
};

export const SIGNALS: readonly Signal[] = ['content', 'path', 'exact', 'history', 'recency'];

/** What speaks for the documents of a segment, by document: a question may find tens of thousands of them. */
export type Signals = Readonly<Record<Signal, Float64Array>>;

/** The most that any document has of each signal. */
export type Best = Readonly<Record<Signal, number>>;

/** What the signals of one document come to, each as a share of the best document's. */
export function fuse(signals: Signals, document: number, best: Best, rank: number): number {
  let total = 0;
  for (const signal of SIGNALS) total += share(signals, document, best, signal);
  return total * (BY_RANK[rank] ?? 1);
}

/** The signals that speak for a document, strongest first. */
export function inOrderOfShare(signals: Signals, document: number, best: Best): Signal[] {
  return SIGNALS.filter((signal) => signals[signal][document]! > 0).toSorted(
    (a, b) => share(signals, document, best, b) - share(signals, document, best, a),
  );
}

function share(signals: Signals, document: number, best: Best, signal: Signal): number {
  return best[signal] > 0 ? (WEIGHT[signal] * signals[signal][document]!) / best[signal] : 0;
}
