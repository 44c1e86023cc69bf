import { counted } from '../../../foundation/kernel/text/counted.ts';
import { questionWordsIn } from '../../../foundation/kernel/text/words.ts';
import { isProduct, searchLines } from '../evidence/line-source.ts';
import { codeSentence, nextCall } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { withoutRepositoryWords } from '../question/read-question.ts';
import { inlineCode, namesOf } from '../text/markdown.ts';

/** Numbers of files that a search returns, of repositories that are shown and listed, and of words besides the name. */
const max = { files: 1_000, shown: 8, listed: 20, otherWords: 3 } as const;

/** Answers which repositories have a name as a whole word, with the number of files and a line of each. */
export async function usesByRepository(inquiry: Inquiry): Promise<Finding | undefined> {
  const { ranked, question } = inquiry;
  const { things, used } = question.mentions;
  const all = [...question.subject.identifiers, ...things, ...used];
  const name = all.find((one) => !ranked.named.some((repository) => repository.name === one));
  const words = questionWordsIn(withoutRepositoryWords(question.head));
  const others = words.filter(({ word }) => word.toLowerCase() !== name?.toLowerCase());
  if (name === undefined || others.length > max.otherWords) return undefined;
  const search = { text: name, form: 'word', limit: max.files, matchesPerFile: 5 } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  if (lines.length === 0) return undefined;
  const found = Map.groupBy(lines, ({ repository }) => repository);
  const using = [...found]
    .map(([repository, own]) => ({ repository, own, files: new Set(own.map(({ path }) => path)).size }))
    .toSorted((a, b) => b.files - a.files);
  const more = using.slice(max.shown).map((one) => one.repository);
  const without = ranked.searched.filter((one) => !found.has(one));
  const has = using.length === 1 ? 'has' : 'have';
  const searched = counted(ranked.searched.length, 'repository', 'repositories');
  return {
    lines: [
      [`${using.length} of ${searched} ${has} ${inlineCode(name)} as a word.`],
      ...using.slice(0, max.shown).map(({ repository, own, files }) => {
        const product = own.filter(isProduct);
        const best = product.find(({ text }) => text.includes('import')) ?? product[0] ?? own[0]!;
        const lead = `${inlineCode(repository.name)}, ${counted(files, 'file')}, such as `;
        return [lead, ...codeSentence(inquiry, best, 'use')];
      }),
      ...(more.length > 0 ? [[`Also: ${namesOf(more, max.listed)}.`]] : []),
      ...(without.length > 0 && isWhole ? [[`None in ${namesOf(without, max.listed)}.`]] : []),
    ],
    notes: isWhole ? [] : ['The search was cut short, so files and repositories may be missing.'],
    next: nextCall('find_references', { name }),
    passages: 0,
  };
}
