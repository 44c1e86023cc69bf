import type { Question } from './questions.ts';
import type { PeakMemory } from './watch-memory.ts';

/** One search engine over one corpus, warm. Paths are `r<number>/<path>`. */
export interface Engine {
  /** Every matching file. */
  all(question: Question): Promise<Iterable<string>>;
  close(): Promise<void>;
}

/** What an engine's index cost. */
export interface BuildCost {
  /** Processor seconds of all processes. */
  readonly cpu: number;
  readonly seconds: number;
  /** Bytes on the disk. */
  readonly size: number;
  /** `undefined` where it cannot be measured. */
  readonly peak: PeakMemory | undefined;
}
