import type { GraphNode } from '../../../backends/graph/port.ts';
import { listSentence, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import { asksForText } from '../question/grammar/usage.ts';
import { asksForValue } from './definitions/answer-value.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { enclosing } from './targets/enclosing.ts';
import { linesOfFile } from './targets/file-lines.ts';
import { isTestPath } from './test-path.ts';
import { findText, type TextSource } from './text-uses.ts';
import { findMessage } from './traces/find-message.ts';
import { isMessageStatement, reportingStatement, stateMessage } from './traces/state-message.ts';
import { findUses } from './uses/find-uses.ts';
import { callersOf } from './uses/used-name.ts';

const max = { places: 4, callers: 3, phrases: 3, line: 400 } as const;

/** Words that can stand for a text that another sentence quotes. */
const refersBack = /\b(?:it|this|that|these|triggers?|causes?|mean|raised|thrown)\b/iu;
/** Asks how to do something: a text that the question only tells besides is not what it is about. */
const asksHowTo = /\bhow (?:do|can|should|would|to)\b/iu;
/** Number of words from which a quoted text is a message, and the share of a message that a shorter text must be. */
const min = { words: 4, share: 0.4 } as const;

/** Answers a quoted error message with the line that reports it, also if the code has its variable parts otherwise. */
export async function answerQuotedMessage(inquiry: Inquiry): Promise<Statements | undefined> {
  const { ranked, asked } = inquiry;
  if (asksForValue.test(asked)) return undefined;
  const isMeant = (phrase: string): boolean =>
    asked.includes(phrase) || refersBack.test(asked) || asksForText.test(asked) || !asksHowTo.test(asked);
  for (const phrase of ranked.subject.phrases.filter(isMeant).slice(0, max.phrases)) {
    const hit = await findMessage(inquiry, phrase);
    if (hit === undefined) continue;
    const isReport = await isReported(inquiry, hit, phrase);
    // A text of many words may be kept in a constant, and reported elsewhere.
    const isKept = !isReport && isLong(phrase) && asked.includes(phrase);
    if (!isReport && !isKept) continue;
    const statements = isReport ? stateMessage(inquiry, hit) : stateText(inquiry, phrase, hit, []);
    return { ...(await statements), found: [phrase] };
  }
  return undefined;
}

function isLong(phrase: string): boolean {
  return phrase.split(/\s+/u).filter((word) => /\p{L}/u.test(word)).length >= min.words;
}

/** Returns whether a line reports a text as a message, and not only a longer one with the same words. */
async function isReported(inquiry: Inquiry, hit: TextSource, phrase: string): Promise<boolean> {
  const lines = await linesOfFile(inquiry, hit);
  const at = reportingStatement(lines, hit.line);
  if (at === undefined || !isMessageStatement(at)) return false;
  const text = (lines[hit.line - 1] ?? '').slice(0, max.line).trim();
  return isLong(phrase) || phrase.length >= min.share * text.length;
}

/**
 * Answers where a quoted text comes from: its place, the function around it, its callers. In a question how something
 * works, a quotation is a command or a name.
 */
export async function answerPhrase(inquiry: Inquiry): Promise<Statements | undefined> {
  const { ranked, asked, kind } = inquiry;
  if (asksForValue.test(asked)) return undefined;
  const { phrases } = ranked.subject;
  const isWanted = kind !== 'how' || asksForText.test(asked);
  const text = phrases.find(
    (phrase) => isWanted && asked.includes(phrase) && !ranked.unmatched.includes(phrase),
  );
  if (text === undefined) return undefined;
  const repositories = ranked.named.length > 0 ? ranked.named : ranked.repositories;
  const [best, ...others] = await findText(inquiry, { text, caseSensitive: false, repositories, around: 6 });
  return best === undefined ? undefined : stateText(inquiry, text, best, others);
}

/** States where a text is, and what uses the definition around it. */
async function stateText(
  inquiry: Inquiry,
  text: string,
  best: TextSource,
  others: readonly TextSource[],
): Promise<Statements> {
  const around = await enclosing(inquiry, best);
  const where = around === undefined ? '' : ` in ${nodePlace(inquiry, around)}`;
  return {
    lead: [[`The text ${quoted(text, 120)} is at ${placeOf(inquiry, best)}${where}`, best, '.']],
    reasons: [
      ...(around === undefined ? [] : await calledBy(inquiry, around)),
      ...listSentence(
        'It is also at ',
        others.slice(0, max.places).map((source): Sentence => [placeOf(inquiry, source), source]),
        others.length,
      ),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

function placeOf(inquiry: Inquiry, { repository, path, line }: TextSource): string {
  return placeText(inquiry, { repository, path, line });
}

/** Says what of the product calls the definition around a text, or reads it. */
async function calledBy(inquiry: Inquiry, node: GraphNode): Promise<Sentence[]> {
  const uses = (await callersOf(inquiry, node)).filter((one) => !isTestPath(one.node.key));
  if (uses.length === 0) return usesOf(inquiry, node);
  const shown = uses.slice(0, max.callers).map((use): Sentence => [nodePlace(inquiry, use.node)]);
  return listSentence('That is called by ', shown, uses.length);
}

/** Says where a constant that holds the text is read: the graph knows calls, and a text is not called. */
async function usesOf(inquiry: Inquiry, { name, props }: GraphNode): Promise<Sentence[]> {
  if (props['kind'] !== 'constant' && props['kind'] !== 'variable') return [];
  const found = await findUses(inquiry, name);
  const read = found.filter(({ kinds, source }) => kinds.has('read') && !isTestPath(source.path));
  const shown = read.slice(0, max.callers).map(({ source }): Sentence => [placeOf(inquiry, source), source]);
  return listSentence('That is used at ', shown, read.length);
}
