import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { lineSource } from '../evidence/line-source.ts';
import { withSource } from '../evidence/place-source.ts';
import { nextDefinitions, targetText } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { targetsOf } from './targets.ts';

/**
 * Maximum numbers of definitions that are shown, of lines of all that are shown whole, of lines up to which a passage
 * completes them, and of words besides the name in a question about them; maximum length of a line that is stated.
 */
const max = { shown: 3, whole: 120, long: 10, otherWords: 2, line: 160 } as const;

/** Matches a word that asks for a definition. */
const asking = /^(?:defin(?:ed|itions?)|show)$/iu;

/**
 * Answers a question about lines of a file, or about a name alone, such as "what is X" or "where is X defined", with
 * its definitions.
 */
export async function definitionAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { identifiers, terms, paths, places } = inquiry.question.subject;
  const repositories = inquiry.ranked.named.map(({ name }) => name);
  const own = [...identifiers, ...paths, ...repositories].join(' ').toLowerCase();
  const others = terms.filter((term) => !own.includes(term.toLowerCase()) && !asking.test(term));
  const isOfName = identifiers.length > 0 && others.length <= max.otherWords;
  if (places.length === 0 && !isOfName) return undefined;
  const targets = (await targetsOf(inquiry)).filter(
    ({ isNamed, lines, repository }) =>
      // "How does axum use tokio::spawn" is about axum.
      isNamed && lines !== undefined && inquiry.ranked.searched.includes(repository),
  );
  if (targets.length === 0) return undefined;
  const shown = targets.slice(0, max.shown);
  const length = shown.reduce((sum, { lines: span }) => sum + span!.last - span!.first + 1, 0);
  const lines = shown.map(async (target): Promise<Sentence> => {
    const { first, last } = target.lines!;
    const whole = length <= max.whole ? { max: max.whole } : {};
    const how = { reason: 'named', isCommented: last > first, ...whole };
    const source = await lineSource(inquiry, { ...target, line: first }, how);
    // The only line of a definition may be the value that is asked for.
    const line = first === last ? source?.excerpt.trim() : undefined;
    const value = line === undefined ? '' : `: ${inlineCode(shorten(line, max.line))}`;
    return withSource(`Defined: ${targetText(target)}${value}`, source);
  });
  const more = targets.length - shown.length;
  return {
    lines: [...(await Promise.all(lines)), ...(more > 0 ? [[`${more} more with this name.`]] : [])],
    next: more > 0 ? nextDefinitions(targets) : [],
    passages: length > max.long && others.length === 0 ? 0 : 1,
  };
}
