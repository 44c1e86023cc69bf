/** Processor time in milliseconds. Code that people write takes less than a fifth of it. */
const perFile = 500;
const perKilobyte = 5;
/** Processor time that the files of one projection may waste, in milliseconds. */
const total = 60_000;

/**
 * Limits the processor time that is lost to files whose grammar does not end. Code takes time in proportion to its
 * size: a file that takes far more is not worth waiting for.
 */
export class ParseBudget {
  readonly #perFile: number;
  #left: number;

  constructor(limits: { readonly perFile?: number; readonly total?: number | undefined } = {}) {
    this.#perFile = limits.perFile ?? perFile;
    this.#left = limits.total ?? total;
  }

  /** Returns the processor time that a file may take, in milliseconds; `undefined` once all time is lost. */
  limitOf(bytes: number): number | undefined {
    return this.#left > 0 ? this.#perFile + (bytes / 1000) * perKilobyte : undefined;
  }

  /** Counts the time of a file that could not be parsed. */
  lose(milliseconds: number): void {
    this.#left -= milliseconds;
  }
}
