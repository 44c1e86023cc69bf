import type { Sentence, Statements } from '../../answer/statements.ts';
import { type Inquiry, maxPassages } from '../inquiry.ts';
import { reasonSentences, touchedSentence } from './change-sentences.ts';
import { changeText } from './commits.ts';
import { describePast } from './past.ts';
import type { Purpose } from './purpose.ts';
import { lackingNote, searchPast } from './search-past.ts';

/**
 * Answers which commit did something with the one of the whole history whose message says so; nothing without one.
 * If it `mustSayAll`, only with one that has all words of the question.
 */
export async function answerFound(
  inquiry: Inquiry,
  purpose: Purpose,
  { mustSayAll = false }: { readonly mustSayAll?: boolean } = {},
): Promise<Statements | undefined> {
  const found = await searchPast(inquiry, purpose);
  if (found === undefined || (mustSayAll && found.lacking.length > 0)) return undefined;
  const [change] = await describePast(inquiry, [found.change], 'its message fits the question');
  if (change === undefined) return undefined;
  const isSure = found.isExact;
  const label = isSure ? leads[purpose] : 'The change whose message fits the question best is ';
  const lead: Sentence = [label, ...changeText(change), '.'];
  return {
    lead: [lead, ...reasonSentences(inquiry, change)],
    reasons: await touchedSentence(inquiry, change),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      ...lackingNote(found),
      ...(purpose === 'first'
        ? ['That is the first commit whose message says so; the code may be older.']
        : []),
    ],
  };
}

const leads: Readonly<Record<Purpose, string>> = {
  first: 'It came with ',
  fix: 'The fix is ',
  change: 'The change is ',
};

const asksWhich = /\b(?:which|what) (?:commit|change|pull request|pr|merge request|mr|release|version)s?\b/iu;
const asksWhen = /\b(?:when|since when|in which (?:version|release)|who)\b/iu;
const fixing = /\b(?:fix\w*|resolv\w+|solv\w+|repair\w*|address\w*|patch\w*)\b/iu;
const adding =
  /\b(?:add\w*|introduc\w+|creat\w+|implement\w*|support\w*|first|appear\w*|land\w*|start\w*)\b/iu;
const changing =
  /\b(?:chang\w+|renam\w+|remov\w+|drop\w*|delet\w+|deprecat\w+|mov(?:e[ds]?|ing)|replac\w+|switch\w*|revert\w*|rewr\w+|rework\w*|refactor\w*|stop\w*|went away|go(?:es)? away|disappear\w*|vanish\w*|no longer)\b/iu;

/** Returns which commit a question asks for by what it did; `undefined` if it asks for something else. */
export function purposeOf(asked: string): Purpose | undefined {
  const isWhich = asksWhich.test(asked);
  if (
    !isWhich &&
    !asksWhen.test(asked) &&
    !/\b(?:why (?:was|were|did|has|have)|what (?:bug|problem|issue))\b/iu.test(asked)
  )
    return undefined;
  if (/\b(?:last|latest|recent\w*)\b/iu.test(asked)) return undefined;
  if (fixing.test(asked)) return 'fix';
  if (changing.test(asked)) return /\bwho\b/iu.test(asked) ? undefined : 'change';
  if (adding.test(asked)) return 'first';
  return isWhich ? 'change' : undefined;
}

/** Answers a question for a commit by messages alone, for what the code does not mention any more. */
export async function answerByMessages(inquiry: Inquiry): Promise<Statements | undefined> {
  const purpose = inquiry.kind === 'history' ? purposeOf(inquiry.asked) : undefined;
  return purpose === undefined ? undefined : answerFound(inquiry, purpose);
}
