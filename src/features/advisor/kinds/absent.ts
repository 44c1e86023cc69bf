import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import { askedNames } from '../evidence/find-named.ts';
import { searchFor } from '../evidence/line-source.ts';
import { textOf } from '../evidence/passage-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { codeList, inlineCode, namesOf } from '../text/markdown.ts';

/** Maximum numbers of words that are searched, and of repositories that are named. */
const max = { searches: 6, names: 2 } as const;

/** Words that ask, and say nothing about what is asked for. */
const asking = new Set(
  wordsIn(
    'support provide offer handle allow implement ship helper already even built exist using use way feature compare comparison differ difference versus explain describe summarize list tell',
  ),
);

/** Returns the names, phrases and content words of a question that no searched file has, in its content or path. */
export async function missingWords(inquiry: Inquiry): Promise<readonly string[]> {
  const { ranked } = inquiry;
  if (ranked.partial || ranked.damaged || ranked.searched.length === 0) return [];
  const pause = openPauses();
  const seen = new Set<string>();
  for (const passage of ranked.passages.best) {
    await pause();
    for (const word of wordsIn(`${passage.path} ${textOf(passage)}`)) seen.add(word);
  }
  const unseen = askedWords(inquiry).filter((word) => wordsIn(word).some((stem) => !seen.has(stem)));
  const known = new Set(ranked.unmatched);
  const asked = unseen.filter((word) => !known.has(word)).slice(0, max.searches);
  const absent = await Promise.all(asked.map(async (word) => isAbsent(inquiry, word)));
  return [...known, ...asked.filter((_, index) => absent[index])];
}

/** Returns the names and phrases of a question, then its other content words. */
function askedWords({ question: { head, subject } }: Inquiry): readonly string[] {
  const exact = [...subject.identifiers, ...subject.phrases];
  const stems = new Set(exact.flatMap(wordsIn));
  const words = questionWordsIn(head).filter(
    (asked) =>
      asked.word.length > 2 &&
      asked.stems.length > 0 &&
      asked.stems.every((stem) => !asking.has(stem) && !stems.has(stem)),
  );
  return [...new Set([...exact, ...words.map(({ word }) => word)])];
}

async function isAbsent(inquiry: Inquiry, word: string): Promise<boolean> {
  const query = { kind: 'literal', text: beginningOf(word), caseSensitive: false, field: 'any' } as const;
  const result = await searchFor(inquiry, { query, limit: 1 });
  return result !== undefined && result.files.length === 0 && result.incomplete === undefined;
}

/** Returns what finds a word in any form: its stem, without a last letter that differs, as in `retri` of "retry". */
function beginningOf(text: string): string {
  const [stem = text, ...others] = wordsIn(text);
  const begin = [stem, stem.slice(0, -1)].find((one) => one.length > 2 && text.startsWith(one));
  // Names and phrases stay as they are.
  return others.length === 0 && begin !== undefined ? begin : text;
}

/** Answers whether something exists if it is in no indexed file; else the passages answer. */
export function existsAnswer(inquiry: Inquiry, absent: readonly string[]): Finding | undefined {
  const { question, ranked } = inquiry;
  if (question.kind !== 'exists' || !isDecisive(inquiry, absent)) return undefined;
  const lead = `Not found: no indexed file has ${codeList(absent)}. Searched: ${namesOf(ranked.searched)}.`;
  return { lines: [[lead]], passages: 1, isNotFound: true };
}

/** States that no file has a name. */
export function absentName({ ranked }: Inquiry, name: string, what = 'No definition and no use'): Finding {
  const { length } = ranked.searched;
  const where = length > max.names ? counted(length, 'repository', 'repositories') : namesOf(ranked.searched);
  return { lines: [[`${what} of ${inlineCode(name)} exists in ${where}.`]], isNotFound: true };
}

/** Answers that no file has the names that a question asks about; it is not about others. */
export async function absentAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const names = askedNames(inquiry);
  const [name] = names;
  if (name === undefined || !names.every((one) => inquiry.ranked.unmatched.includes(one))) return undefined;
  return inquiry.question.kind === 'code'
    ? { ...absentName(inquiry, name), isNotFound: false, passages: 4 }
    : absentName(inquiry, name);
}

/** Returns whether the thing asked for is absent: a name or phrase of it, or half of its words. */
function isDecisive(inquiry: Inquiry, absent: readonly string[]): boolean {
  const { head, subject } = inquiry.question;
  const exact: readonly string[] = [...subject.identifiers, ...subject.phrases];
  const isName = (word: string): boolean =>
    exact.includes(word) || (word !== word.toLowerCase() && !head.trimStart().startsWith(word));
  const repositories = new Set(inquiry.ranked.named.flatMap(({ name }) => wordsIn(name)));
  const words = askedWords(inquiry).filter((word) => !wordsIn(word).every((stem) => repositories.has(stem)));
  return absent.some(isName) || (absent.length > 0 && absent.length * 2 >= words.length);
}
