import { collectSymbols, type SymbolRows } from './symbol-rows.ts';
import { collectTermPostings, type TermPostings } from './term-postings.ts';
import { collectTrigramPostings, type TrigramPostings } from './trigram-postings.ts';

/**
 * The tables of a segment in progress, of up to some tens of megabytes. They are empty again once it is finished, and
 * reused for the next.
 */
export interface Collectors {
  readonly trigrams: TrigramPostings;
  readonly terms: TermPostings;
  readonly symbols: SymbolRows;
}

export function openCollectors(): Collectors {
  return { trigrams: collectTrigramPostings(), terms: collectTermPostings(), symbols: collectSymbols() };
}

/** Keeps the collectors of one repository for the next, because new ones take memory and compile their patterns. */
export interface SpareCollectors {
  /** Returns collectors for exclusive use. */
  take(): Collectors;
  /** Returns empty collectors. Must be called only after the last segment, and not if it failed. */
  release(collectors: Collectors): void;
}

/** Holds spare collectors weakly, so that an idle worker frees their memory. */
export function spareCollectors(): SpareCollectors {
  let spare: WeakRef<Collectors> | undefined;
  return {
    take: () => {
      const collectors = spare?.deref() ?? openCollectors();
      spare = undefined;
      return collectors;
    },
    release: (collectors) => {
      spare = new WeakRef(collectors);
    },
  };
}
