import { counted } from '../../../foundation/kernel/text/counted.ts';
import { isProduct, searchLines } from '../evidence/line-source.ts';
import { codeSentence, nextCall } from '../evidence/place-source.ts';
import { type Finding, firstLines } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Numbers of files that a search returns, and of repositories that are shown. */
const max = { files: 1_000, shown: 12 } as const;

/** States which repositories have a name as a whole word, with the number of files and a line of each. */
export async function usesByRepository(inquiry: Inquiry, name: string): Promise<Finding | undefined> {
  const { repositories } = inquiry.ranked;
  const search = { text: name, form: 'word', limit: max.files, matchesPerFile: 5, repositories } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  if (lines.length === 0) return undefined;
  const using = Array.from(
    Map.groupBy(lines, ({ repository }) => repository),
    ([repository, own]) => {
      const product = own.filter(isProduct);
      const best = product.find(({ text }) => text.includes('import')) ?? product[0] ?? own[0]!;
      const files = new Set(own.map(({ path }) => path)).size;
      return { name: inlineCode(repository.name), best, files };
    },
  ).toSorted((a, b) => b.files - a.files);
  const all = counted(repositories.length, 'repository', 'repositories');
  return {
    lines: [
      [`${using.length} of ${all} ${using.length === 1 ? 'has' : 'have'} ${inlineCode(name)} as a word.`],
      ...firstLines(using, max.shown, (one) => [
        `${one.name}, ${counted(one.files, 'file')}, such as `,
        ...codeSentence(inquiry, one.best, 'use'),
      ]),
    ],
    notes: isWhole ? [] : ['The search was cut short, so files and repositories may be missing.'],
    next: nextCall('find_references', { name }),
    passages: 0,
  };
}
