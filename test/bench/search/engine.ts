import type { Question } from './questions.ts';
import type { PeakMemory } from './watch-memory.ts';

/** A warm search engine over one corpus. Paths are `r<number>/<path>`. */
export interface Engine {
  /** Returns every matching file. */
  all(question: Question): Promise<Iterable<string>>;
  close(): Promise<void>;
}

/** The cost of building an index. */
export interface BuildCost {
  /** CPU seconds of all processes. */
  readonly cpu: number;
  readonly seconds: number;
  /** Bytes on disk. */
  readonly size: number;
  /** Undefined if it cannot be measured. */
  readonly peak: PeakMemory | undefined;
}
