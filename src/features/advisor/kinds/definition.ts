import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { lineSource } from '../evidence/line-source.ts';
import { nextCall, withSource } from '../evidence/place-source.ts';
import { targetText } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { targetsOf } from './targets.ts';

/**
 * Number of definitions of a name that are shown; numbers of lines up to which they are shown whole, and from which they
 * answer without a passage; number of words besides the name up to which a question is about them; length of a line that
 * is stated.
 */
const max = { shown: 3, whole: 120, long: 10, otherWords: 2, line: 160 } as const;

/** Words that ask for a definition. */
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
    const how = { reason: 'named', ...(length <= max.whole ? { max: max.whole } : {}) };
    const source = await lineSource(
      inquiry,
      { ...target, line: first },
      { ...how, isCommented: last > first },
    );
    // The only line of a definition may be the value that is asked for.
    const line = first === last ? source?.excerpt.trim() : undefined;
    const value = line === undefined ? '' : `: ${inlineCode(shorten(line, max.line))}`;
    return withSource(`Defined: ${targetText(target)}${value}`, source);
  });
  const more = targets.length - shown.length;
  return {
    lines: [...(await Promise.all(lines)), ...(more > 0 ? [[`${more} more with this name.`]] : [])],
    next: more > 0 ? nextCall('search_code', { query: `sym:${targets[0]!.node.name}` }) : [],
    passages: length > max.long && others.length === 0 ? 0 : 1,
  };
}
