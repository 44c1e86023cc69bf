import type { Source } from './answer.ts';

/** A sentence whose sources the writer replaces with their numbers. Third-party text in it is quoted or code. */
export type Sentence = readonly (string | Source)[];

/** Returns whether a finding states what it found, and no candidates. */
export function statesFacts(finding: Finding | undefined): boolean {
  return finding !== undefined && finding.isSure !== false;
}

/** Writes the first of some things, each on a line, and how many more there are. */
export function firstLines<Thing>(
  all: readonly Thing[],
  max: number,
  write: (one: Thing) => Sentence,
): readonly Sentence[] {
  const more = all.length - max;
  return [...all.slice(0, max).map(write), ...(more > 0 ? [[`${more} more`]] : [])];
}

/** The exact answer of one kind of question, as data. */
export interface Finding {
  /**
   * The point first, then what else is known about it. Each is written on a line of its own. The texts of their sources
   * precede those of the ranked passages.
   */
  readonly lines: readonly Sentence[];
  /** Sentences about evidence that was not found or left out. */
  readonly notes?: readonly string[];
  /** Calls of tools that lead on, such as `find_references name=renew`. */
  readonly next?: readonly string[];
  /** The number of ranked passages that complete the answer. Default: 2. */
  readonly passages?: number;
  /** False if the lines state candidates. Default: true. */
  readonly isSure?: boolean;
  /** The message that the lines state, as the prompt has it: no word of it is said to be in no file. */
  readonly message?: string;
  /** True if the point is that nothing was found. */
  readonly isNotFound?: boolean;
}
