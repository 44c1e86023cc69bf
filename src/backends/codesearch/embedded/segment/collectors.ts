import { collectSymbols, type SymbolRows } from './symbol-rows.ts';
import { collectTermPostings, type TermPostings } from './term-postings.ts';
import { collectTrigramPostings, type TrigramPostings } from './trigram-postings.ts';

/** What one segment leaves to the next: tables of up to some tens of megabytes, empty again once it is finished. */
export interface Collectors {
  readonly trigrams: TrigramPostings;
  readonly terms: TermPostings;
  readonly symbols: SymbolRows;
}

export function openCollectors(): Collectors {
  return { trigrams: collectTrigramPostings(), terms: collectTermPostings(), symbols: collectSymbols() };
}

/** What one repository leaves to the next: to make its own, each would take memory and compile its patterns. */
export interface SpareCollectors {
  /** Nobody else gets the same ones. */
  take(): Collectors;
  /** Only empty ones: after the last segment, and not when it failed. */
  giveBack(collectors: Collectors): void;
}

/** Kept until the memory is wanted: a worker that has nothing to index holds none of it for long. */
export function spareCollectors(): SpareCollectors {
  let spare: WeakRef<Collectors> | undefined;
  return {
    take: () => {
      const collectors = spare?.deref() ?? openCollectors();
      spare = undefined;
      return collectors;
    },
    giveBack: (collectors) => {
      spare = new WeakRef(collectors);
    },
  };
}
