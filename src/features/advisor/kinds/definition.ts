import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { Source } from '../answer.ts';
import { decidingLines } from '../evidence/deciding-lines.ts';
import { readText } from '../evidence/line-source.ts';
import { nextCall, placeSource } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { qualifiedName, type Target, targetsOf, targetText } from './target.ts';

/** Number of definitions of a name that are shown, and the lengths of the text of one and of a line that is stated. */
const max = { shown: 3, text: 1_320, line: 160 } as const;
/** Number of words besides the name up to which a question is about its definition. */
const maxOtherWords = 2;

/**
 * Answers a question about lines of a file, or about a name alone, such as "what is X" or "where is X defined", with its
 * definitions.
 */
export async function definitionAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { subject } = inquiry.question;
  const own = new Set(subject.identifiers.flatMap((name) => name.toLowerCase().split(/\W+/)));
  const others = subject.terms.filter((term) => !own.has(term.toLowerCase()));
  const isPointed = subject.places.length > 0;
  if (!isPointed && (subject.identifiers.length === 0 || others.length > maxOtherWords)) return undefined;
  const targets = (await targetsOf(inquiry)).filter(({ isNamed, lines }) => isNamed && lines !== undefined);
  if (targets.length === 0) return undefined;
  const shown = await Promise.all(
    targets.slice(0, max.shown).map(async (target) => ({ target, source: await sourceOf(inquiry, target) })),
  );
  const more = targets.length - shown.length;
  return {
    lines: [
      ...shown.map(({ target, source }) => [`Defined: ${targetText(target)}${lineOf(source)}`, source]),
      ...(more > 0
        ? [[`${more} more ${more === 1 ? 'definition has' : 'definitions have'} this name.`]]
        : []),
    ],
    next: more > 0 ? nextCall('search_code', { query: `sym:${targets[0]!.node.name}` }) : [],
    passages: 1,
  };
}

/** Returns the only line of a definition, after a colon: it may be the value that is asked for. */
function lineOf({ excerpt, startLine, endLine }: Source): string {
  const isLine = startLine === endLine && excerpt.trim() !== '';
  return isLine ? `: ${inlineCode(shorten(visibleLine(excerpt).trim(), max.line))}` : '';
}

async function sourceOf(inquiry: Inquiry, { repository, path, lines, node }: Target): Promise<Source> {
  const { first, last } = lines ?? { first: 1, last: 1 };
  const content = (await readText(inquiry, repository, path)) ?? '';
  const own = content.split('\n').slice(first - 1, last);
  const all = own.map((text, at) => ({ line: first + at, text }));
  const text = decidingLines({ lines: all, endLine: last }, inquiry.question.prompt, max.text);
  const place = { path, startLine: first, endLine: last, text, title: qualifiedName(node) };
  return placeSource(inquiry, repository, { ...place, reason: 'named' });
}
