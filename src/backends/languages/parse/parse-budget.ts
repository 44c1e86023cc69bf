/** Processor time in milliseconds. Code that people write takes less than a fifth of it. */
const perFile = 500;
const perKilobyte = 5;
/** Processor time that is not counted, because code that people write takes it. */
const free = { perFile: 10, perKilobyte: 2 } as const;
/** Processor time that the files of one projection may waste, in milliseconds. */
const total = 60_000;

/**
 * Limits the processor time that is lost to files that take more than code of their size does, also to those that are
 * parsed in the end. It stands for one caller of the queue, which takes the file whose
 * caller had the lowest turn when it handed it over.
 */
export class ParseBudget {
  readonly #perFile: number;
  #left: number;
  /** Processor time of all files, in milliseconds, added to the turn of the other callers when it came. */
  #turn = 0;

  constructor(limits: { readonly perFile?: number; readonly total?: number | undefined } = {}) {
    this.#perFile = limits.perFile ?? perFile;
    this.#left = limits.total ?? total;
  }

  get turn(): number {
    return this.#turn;
  }

  /** Puts a caller that comes late beside the others. It does not make up for time that it was not there. */
  joinAt(turn: number): void {
    this.#turn = Math.max(this.#turn, turn);
  }

  /** Returns the processor time that a file may take, in milliseconds; `undefined` once all time is lost. */
  limitOf(bytes: number): number | undefined {
    return this.#left > 0 ? this.#perFile + (bytes / 1000) * perKilobyte : undefined;
  }

  /** Counts the processor time that a file took, in milliseconds. */
  spend(bytes: number, milliseconds: number): void {
    this.#turn += milliseconds;
    this.#left -= Math.max(0, milliseconds - free.perFile - (bytes / 1000) * free.perKilobyte);
  }
}
