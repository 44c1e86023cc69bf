import type { RankedFile, RankRequest } from '../../../backends/codesearch/port.ts';
import type { Queries } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import {
  type PendingRepository,
  repositoriesInScope,
  type SearchableRepository,
} from '../../search/repositories-in-scope.ts';
import type { PatientSearch } from '../patient-search.ts';
import { type Intent, intentOf } from '../question/intent.ts';
import { namedRepositories } from '../question/named-repositories.ts';
import { type AskedPrompt, readAsked } from '../question/prompt/read-asked.ts';
import type { PromptSubject } from '../question/prompt/read-prompt.ts';
import { relatedWords } from '../question/words/related-words.ts';
import { joinedPairs, withShortForms } from '../question/words/short-forms.ts';

export interface RankedCode {
  /** What of the prompt asks, without what it only tells of the asker. At most 400 characters. */
  readonly asked: string;
  /** Words of the subject that only the rest of the prompt has. */
  readonly context: readonly string[];
  readonly subject: PromptSubject;
  readonly intent: Intent;
  /** Best first. */
  readonly files: readonly RankedFile[];
  /** Names and phrases of the prompt that no indexed file contains. */
  readonly unmatched: readonly string[];
  /** Repositories that can be searched. */
  readonly repositories: readonly SearchableRepository[];
  /** Those that were searched: the ones that the prompt certainly names, or else all. */
  readonly searched: readonly SearchableRepository[];
  /** Those that the prompt names. */
  readonly named: readonly SearchableRepository[];
  /** Repositories that the prompt certainly names and that cannot be searched yet, if it names no other one. */
  readonly unready: readonly PendingRepository[];
  /** Repositories that cannot be searched yet. */
  readonly pending: readonly PendingRepository[];
  /** True if the ranking was cut short, so that files may be missing. */
  readonly partial: boolean;
  /** True if the index of a repository cannot be read, so that all its files are missing. */
  readonly damaged: boolean;
}

/** Files that describe a repository. */
const overviewFiles = ['README.md', 'README.rst', 'README', 'readme.md', 'README.txt'];

/** Ranks the files of the organization's repositories by a prompt, with one request to the engine. */
export async function rankCode(
  deps: { readonly codeSearch: Pick<PatientSearch, 'rank'>; readonly queries: Queries },
  scope: OrgScope,
  { prompt, limit }: { readonly prompt: string; readonly limit: number },
  signal: AbortSignal,
): Promise<RankedCode> {
  const read = readAsked(prompt);
  const { asked, context } = read;
  const intent = intentOf(asked, read.subject);
  const subject = intent.isOverview
    ? { ...read.subject, paths: [...read.subject.paths, ...overviewFiles] }
    : read.subject;
  const { searchable: repositories, pending } = await repositoriesInScope(deps.queries, scope);
  const { named, isCertain } = namedRepositories(prompt, repositories);
  const searched = isCertain ? named : repositories;
  const waiting = isCertain ? undefined : namedRepositories(prompt, pending);
  const unready = waiting?.isCertain === true ? waiting.named : [];
  const base = { asked, context, subject, intent, repositories, searched, named, unready, pending };
  if (repositories.length === 0 || isEmpty(subject)) {
    return { ...base, files: [], unmatched: [], partial: false, damaged: false };
  }
  const request = { ...requestOf(read, subject, intent, named), repositories: searched, limit };
  const ranked = await deps.codeSearch.rank(scope, request, signal);
  return {
    ...base,
    files: ofDefiningRepository(ranked.files, read.names),
    unmatched: ranked.unmatched,
    partial: ranked.partial === true,
    damaged: ranked.incomplete === 'damaged',
  };
}

/**
 * Returns the files of the repository that alone defines a name of the prompt, which is then meant; all files if none or
 * several do.
 * @internal Exported for its test.
 */
export function ofDefiningRepository(
  files: readonly RankedFile[],
  names: readonly string[],
): readonly RankedFile[] {
  const defines = ({ definitions }: RankedFile): boolean =>
    definitions.some(({ name }) => names.includes(name));
  const defining = new Set(files.filter(defines).map(({ repository }) => repository));
  return defining.size === 1 ? files.filter(({ repository }) => defining.has(repository)) : files;
}

function isEmpty({ terms, identifiers, paths, phrases }: PromptSubject): boolean {
  return terms.length + identifiers.length + paths.length + phrases.length === 0;
}

function requestOf(
  { isQuestion }: AskedPrompt,
  subject: PromptSubject,
  { weights }: Intent,
  named: readonly SearchableRepository[],
): Omit<RankRequest, 'limit' | 'waitMs'> {
  const { identifiers, paths, phrases, compounds, places, area } = subject;
  return {
    terms: withShortForms(withoutNames(subject.terms, named)),
    ...(isQuestion ? { related: relatedOf(subject.terms) } : {}),
    identifiers,
    // Only a file that is named after a compound word says something; it is prose elsewhere.
    paths: [...paths, ...compounds],
    phrases,
    places,
    ...(area === undefined ? {} : { area }),
    preferred: named.map(({ id }) => id),
    weights,
  };
}

function relatedOf(terms: readonly string[]): readonly string[] {
  return [...joinedPairs(terms), ...relatedWords(terms)];
}

/**
 * Removes the names of repositories from the terms: they say where to search, and the repository's own files are full
 * of them.
 */
function withoutNames(terms: readonly string[], named: readonly SearchableRepository[]): readonly string[] {
  const names = new Set(named.map(({ name }) => name.toLowerCase()));
  const rest = terms.filter((term) => !names.has(term.toLowerCase()));
  return rest.length === 0 ? terms : rest;
}
