import { shorten } from '../../foundation/kernel/text/visible-text.ts';
import type { Source } from './answer.ts';
import { plainText } from './text/markdown.ts';

/** A sentence whose sources the writer replaces with their numbers. Third-party text in it is quoted or code. */
export type Sentence = readonly (string | Source)[];

/** The exact answer of one kind of question, as data. */
export interface Finding {
  /** The point first, then what else is known about it. Each is written on a line of its own. */
  readonly lines: readonly Sentence[];
  /** Sources that are shown with their text before the ranked passages, best first. */
  readonly sources?: readonly Source[];
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

/** Joins a list to text: `a, b and 3 more`. */
export function joined(items: readonly Sentence[], total = items.length): Sentence {
  const more = total - items.length;
  const parts = items.flatMap((item, index): Sentence => {
    if (index === 0) return item;
    return [index === items.length - 1 && more <= 0 ? ' and ' : ', ', ...item];
  });
  return more > 0 ? [...parts, ` and ${more} more`] : parts;
}

/** Returns a sentence that lists the first of some things: `Owned by a, b and 3 more.`; none if there are none. */
export function listSentence<Thing>(
  label: string,
  all: readonly Thing[],
  max: number,
  write: (one: Thing) => Sentence,
): Sentence[] {
  return all.length === 0 ? [] : [[label, ...joined(all.slice(0, max).map(write), all.length), '.']];
}

/** Quotes third-party text: a title or the sentence of an author. Quotation marks inside cannot end the quotation. */
export function quoted(text: string, max = 240): string {
  return `“${plainText(shorten(text, max).replaceAll(/[“”„‟]/gu, "'"))}”`;
}
