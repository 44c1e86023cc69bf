import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import type { Source } from '../answer.ts';
import { plainText } from '../text/markdown.ts';

/** A sentence whose sources the writer replaces with their numbers. Third-party text in it is quoted or code. */
export type Sentence = readonly (string | Source)[];

/** The statements of an answer, before its sources are numbered. */
export interface Statements {
  /** One or two sentences with the point. */
  readonly lead: readonly Sentence[];
  /** Why this is the answer, and what else is known about it. */
  readonly reasons: readonly Sentence[];
  /** Sources that are shown though no sentence cites them, best first. */
  readonly sources: readonly Source[];
  /** Sentences about evidence that was not found or left out. */
  readonly notes: readonly string[];
  /** Texts of the prompt that were found with other variable parts. */
  readonly found?: readonly string[];
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

/** Returns a sentence that lists what a label says: `Called by a, b and 3 more.`; none if the list is empty. */
export function listSentence(label: string, items: readonly Sentence[], total = items.length): Sentence[] {
  return items.length === 0 ? [] : [[label, ...joined(items, total), '.']];
}

/** Quotes after a colon what an author says, if it is known, and ends the sentence. */
export function sayingOf(said: string | undefined): string {
  return said === undefined ? '.' : `: ${quoted(said)}${/[.!?…]$/u.test(said) ? '' : '.'}`;
}

/** Quotes third-party text: a title or the sentence of an author. Quotation marks inside cannot end the quotation. */
export function quoted(text: string, max = 240): string {
  return `“${plainText(shorten(text, max).replaceAll(/[“”„‟]/gu, "'"))}”`;
}
