import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { isProductPath, searchText } from '../evidence/line-source.ts';
import { placeSource } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { readMentions } from '../question/prompt/mentions.ts';
import { readPrompt } from '../question/prompt/read-prompt.ts';
import { withoutRepositoryWords } from '../question/signal.ts';
import { inlineCode } from '../text/markdown.ts';
import { lineSentence } from './message.ts';

/**
 * Numbers of searches, of files that one returns, of repositories whose lines are shown, of names in a list, and of words
 * besides the name up to which a question asks for nothing else.
 */
const max = { searches: 8, files: 400, shown: 8, listed: 20, otherWords: 3 } as const;
const imports = /^\s*(?:import|from|use|using|require|include|#include|gem)\b/u;

interface RepositoryUses {
  readonly repository: SearchableRepository;
  files: number;
  /** True if it may have more files with the name. */
  readonly isCut: boolean;
  /** The line that says most: of an import in the product, else of the product, else any. */
  best: { readonly path: string; readonly line: number; readonly text: string; readonly weight: number };
}

/**
 * Answers which repositories use a name, such as that of a package: the number of files of each with the name as a whole
 * word, and a line of each.
 */
export async function usesByRepository(inquiry: Inquiry): Promise<Finding | undefined> {
  const { ranked, question } = inquiry;
  const asked = withoutRepositoryWords(question.head);
  const name = [...question.subject.identifiers, ...readMentions(asked).objects].find(
    (one) => !ranked.named.some((repository) => repository.name === one),
  );
  const others = readPrompt(asked).terms.filter((term) => term.toLowerCase() !== name?.toLowerCase());
  if (name === undefined || others.length > max.otherWords) return undefined;
  const { uses, isWhole } = await searchEach(inquiry, name);
  if (uses.length === 0) return undefined;
  const without = ranked.searched.filter(({ id }) => uses.every(({ repository }) => repository.id !== id));
  const shown = uses.slice(0, max.shown);
  return {
    lines: [
      [
        `${uses.length} of ${counted(ranked.searched.length, 'repository', 'repositories')} ${uses.length === 1 ? 'has' : 'have'} ${inlineCode(name)} as a word.`,
      ],
      ...shown.map((one) => usesSentence(inquiry, one)),
      ...(uses.length > shown.length
        ? [[`Also: ${namesOf(uses.slice(max.shown).map(({ repository }) => repository))}.`]]
        : []),
      ...(without.length > 0 && isWhole ? [[`None in ${namesOf(without)}.`]] : []),
    ],
    notes: isWhole ? [] : ['The search was cut short, so repositories may be missing.'],
    next: [`find_references name=${name}`],
    passages: 0,
  };
}

function namesOf(repositories: readonly SearchableRepository[]): string {
  return listed(
    repositories.map(({ name }) => inlineCode(name)),
    max.listed,
  );
}

function usesSentence(inquiry: Inquiry, { repository, files, isCut, best }: RepositoryUses): Sentence {
  const { path, line, text } = best;
  const lines = { path, startLine: line, endLine: line, text, reason: 'use' };
  return [
    `${inlineCode(repository.name)}, ${counted(files, 'file')}${isCut ? ' or more' : ''}, such as `,
    ...lineSentence({ repository, path, line, text }, placeSource(inquiry, repository, lines)),
  ];
}

/** Searches the repositories for a word, those again that a full result may have left out. */
async function searchEach(
  inquiry: Inquiry,
  name: string,
): Promise<{ readonly uses: readonly RepositoryUses[]; readonly isWhole: boolean }> {
  const uses = new Map<string, RepositoryUses>();
  let left = inquiry.ranked.searched;
  for (let searches = 0; left.length > 0 && searches < max.searches; searches++) {
    const limits = { limit: max.files, matchesPerFile: 5 };
    const asked = { text: name, form: 'word', field: 'content', repositories: left, ...limits } as const;
    const result = await searchText(inquiry, asked);
    if (result === undefined || result.incomplete !== undefined)
      return { uses: inOrder(uses), isWhole: false };
    const isCut = result.nextOffset !== undefined;
    for (const { repository: id, path, matches } of result.files) {
      const repository = left.find((one) => one.id === id);
      if (repository === undefined || matches.length === 0) continue;
      const best = matches
        .map((match) => ({ path, line: match.line, text: match.text, weight: weightOf(path, match.text) }))
        .reduce((a, b) => (b.weight > a.weight ? b : a));
      const known = uses.get(id);
      if (known === undefined) uses.set(id, { repository, files: 1, isCut, best });
      else {
        known.files += 1;
        if (best.weight > known.best.weight) known.best = best;
      }
    }
    left = isCut ? left.filter(({ id }) => !uses.has(id)) : [];
  }
  return { uses: inOrder(uses), isWhole: left.length === 0 };
}

function inOrder(uses: ReadonlyMap<string, RepositoryUses>): readonly RepositoryUses[] {
  return [...uses.values()].toSorted((a, b) => b.files - a.files);
}

function weightOf(path: string, text: string): number {
  return (isProductPath(path) ? 2 : 0) + (imports.test(text) ? 1 : 0);
}
