import { noPassages, type RankRequest } from '../../../backends/codesearch/port.ts';
import type { Queries } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { repositoriesInScope, type SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { RankedQuestion } from '../inquiry.ts';
import type { PatientSearch } from '../patient-search.ts';
import { fileWeights } from '../question/file-weights.ts';
import type { Asked } from '../question/follow-up.ts';
import { namedRepositories } from '../question/named-repositories.ts';
import type { Question } from '../question/read-question.ts';
import { withoutRepositoryWords } from '../question/signal.ts';

/** Number of files that are ranked for a question. */
const maxFiles = 40;

/** A question with what is known of its thread. */
type AskedQuestion = Question & { readonly thread?: Asked };

/** Returns the repositories that a question is about: that its own words name, or else that of its thread. */
function meantRepositories(
  { prompt, thread }: AskedQuestion,
  repositories: readonly SearchableRepository[],
): ReturnType<typeof namedRepositories<SearchableRepository>> {
  const own = namedRepositories(thread?.written ?? prompt, repositories);
  const ofThread = repositories.filter(({ name }) => name === thread?.repository);
  return own.isCertain || ofThread.length === 0 ? own : { named: ofThread, isCertain: true };
}

/** Ranks the passages of the organization's repositories for a question, with one request to the engine. */
export async function rankQuestion(
  deps: { readonly codeSearch: Pick<PatientSearch, 'rank'>; readonly queries: Queries },
  scope: OrgScope,
  question: AskedQuestion,
  signal: AbortSignal,
): Promise<RankedQuestion> {
  const { searchable: repositories, pending } = await repositoriesInScope(deps.queries, scope);
  const { named, isCertain } = meantRepositories(question, repositories);
  const searched = isCertain ? named : repositories;
  const base = { repositories, searched, named, pending };
  const request = rankRequest(question, named);
  if (repositories.length === 0 || isEmpty(request)) return { ...base, ...nothing };
  const ranked = await deps.codeSearch.rank(
    scope,
    { ...request, repositories: searched, limit: maxFiles },
    signal,
  );
  return {
    ...base,
    passages: ranked.passages,
    files: ranked.files,
    unmatched: ranked.unmatched,
    partial: ranked.partial === true,
    damaged: ranked.incomplete === 'damaged',
  };
}

const nothing = {
  passages: noPassages,
  files: [],
  unmatched: [],
  partial: false,
  damaged: false,
} as const;

/**
 * Returns what code search is asked for a question. `named`: the repositories that it names.
 * @internal Exported for the bench of passages.
 */
export function rankRequest(
  { prompt, head, subject, asksEvery }: Question,
  named: readonly SearchableRepository[],
): Omit<RankRequest, 'limit' | 'waitMs'> {
  const { terms, identifiers, paths, phrases, compounds, places, area } = subject;
  return {
    question: asksEvery ? withoutRepositoryWords(prompt) : prompt,
    everyRepository: asksEvery || named.length > 1,
    terms: withoutNames(terms, named),
    identifiers,
    // Only a file that is named after a compound word says something; it is prose elsewhere.
    paths: [...paths, ...compounds],
    phrases,
    places,
    ...(area === undefined ? {} : { area }),
    preferred: named.map(({ id }) => id),
    weights: fileWeights(head),
  };
}

function isEmpty({
  terms,
  identifiers,
  paths,
  phrases = [],
}: Omit<RankRequest, 'limit' | 'waitMs'>): boolean {
  return terms.length + identifiers.length + paths.length + phrases.length === 0;
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
