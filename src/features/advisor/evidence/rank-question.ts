import {
  confidences,
  noPassages,
  type RankedPassage,
  type RankedPassages,
  type RankRequest,
  type RankResult,
} from '../../../backends/codesearch/port.ts';
import type { Queries } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { wordsIn } from '../../../foundation/kernel/text/words.ts';
import {
  lastPart,
  repositoriesInScope,
  type SearchableRepository,
} from '../../search/repositories-in-scope.ts';
import type { RankedQuestion } from '../inquiry.ts';
import type { PatientSearch } from '../patient-search.ts';
import type { Asked } from '../question/follow-up.ts';
import { namedRepositories } from '../question/named-repositories.ts';
import { fileWeights, type Question } from '../question/read-question.ts';

/** Number of files that are ranked for a question, and of named repositories that are each ranked by themselves. */
const maxFiles = 40;
const maxApart = 5;

/** Returns the repositories that a question is about: that its own words name, or else that of its thread. */
function meantRepositories(
  { prompt, written = prompt, repository }: Asked,
  repositories: readonly SearchableRepository[],
): Pick<RankedQuestion, 'named' | 'isCertain'> {
  const own = namedRepositories(written, repositories);
  const ofThread = repositories.filter(({ name }) => name === repository);
  return own.isCertain || ofThread.length === 0 ? own : { named: ofThread, isCertain: true };
}

/** Ranks the passages of the organization's repositories for a question, with one request to the engine. */
export async function rankQuestion(
  deps: { readonly codeSearch: Pick<PatientSearch, 'rank'>; readonly queries: Queries },
  scope: OrgScope,
  question: Question & Asked,
  signal: AbortSignal,
): Promise<RankedQuestion> {
  const { searchable: repositories, pending } = await repositoriesInScope(deps.queries, scope);
  const { named, isCertain } = meantRepositories(question, repositories);
  const searched = isCertain ? named : repositories;
  const request = rankRequest(question, named, isCertain ? named : []);
  const base = { repositories, searched, named, isCertain, pending };
  const { terms, identifiers, paths, phrases } = question.subject;
  const isEmpty = [terms, identifiers, paths, phrases].every((list) => list.length === 0);
  if (repositories.length === 0 || isEmpty)
    return { ...base, passages: noPassages, files: [], unmatched: [], partial: false, damaged: false };
  const rank = async (among: readonly SearchableRepository[]): Promise<RankResult> =>
    deps.codeSearch.rank(
      scope,
      { ...request, repositories: among, preferred: named.map(({ id }) => id), limit: maxFiles },
      signal,
    );
  const isSeveral = isCertain && named.length > 1 && named.length <= maxApart;
  const [first, ...others] = await Promise.all(
    isSeveral ? named.map(async (one) => rank([one])) : [rank(searched)],
  );
  const all = [first!, ...others];
  const ofFirst = question.asksEvery ? everyInTurns(first!.passages) : first!.passages;
  return {
    ...base,
    passages: isSeveral ? namedInTurns(all.map(({ passages }) => passages)) : ofFirst,
    files: all.flatMap(({ files }) => files).toSorted((a, b) => b.score - a.score),
    unmatched: first!.unmatched.filter((word) => others.every(({ unmatched }) => unmatched.includes(word))),
    partial: all.some(({ partial }) => partial === true),
    damaged: all.some(({ incomplete }) => incomplete === 'damaged'),
  };
}

/**
 * Returns what code search is asked for a question. `named`: the repositories that it names, `certain`: those that it
 * certainly names.
 * @internal Exported for the bench of passages.
 */
export function rankRequest(
  { prompt, head, subject, asksEvery }: Question,
  named: readonly SearchableRepository[],
  certain = named,
): Omit<RankRequest, 'limit' | 'waitMs'> {
  return {
    ...subject,
    question: withoutNames(prompt, certain),
    terms: withoutNames(subject.terms.join(' '), named).split(' ').filter(Boolean),
    everyRepository: asksEvery,
    weights: fileWeights(head),
  };
}

/**
 * Removes the names of repositories: they say where to search, and the repository's own files are full of them. A text
 * that consists of them stays.
 */
function withoutNames(text: string, named: readonly SearchableRepository[]): string {
  const names = named.flatMap(({ name }) => [name, lastPart(name)]);
  if (names.length === 0) return text;
  const name = `(?<![\\p{L}\\p{N}_./:-])(?:${names.map(escapePattern).join('|')})(?![\\p{L}\\p{N}_/:-])`;
  const rest = text.replaceAll(new RegExp(name, 'giu'), '');
  return wordsIn(rest).length === 0 ? text : rest;
}

/**
 * Points behind the best passage of all repositories up to which one is shown before a second one of the same
 * repository, and from which nothing in a repository is near.
 */
const points = { near: 4, far: 6 } as const;

/**
 * Orders the passages of all repositories: the best of each that is near, then their second ones, and so on, then those
 * that are not near. `nearest` are among them, so that the first line can name them.
 */
function everyInTurns({ best, nearest, confidence }: RankedPassages): RankedPassages {
  const top = best[0]?.score ?? 0;
  const places = new Map([...best, ...nearest].map((one) => [placeKey(one), one]));
  const all = [...places.values()].toSorted((a, b) => b.score - a.score);
  const isNear = ({ score }: RankedPassage): boolean => score >= top - points.near;
  const groups = Map.groupBy(all.filter(isNear), ({ repository }) => repository);
  return {
    best: [...roundRobin([...groups.values()]), ...all.filter((one) => !isNear(one))],
    nearest: nearest.filter(({ score }) => score >= top - points.far),
    confidence,
  };
}

/**
 * Orders the passages of repositories that were each ranked by themselves: the best of each, then their second ones,
 * and so on. The least sure one says how sure the set is.
 */
function namedInTurns(each: readonly RankedPassages[]): RankedPassages {
  return {
    best: roundRobin(each.map(({ best }) => best)),
    nearest: each.flatMap(({ best }) => best.slice(0, 1)),
    confidence: confidences.findLast((word) => each.some(({ confidence }) => confidence === word)) ?? 'weak',
  };
}

function roundRobin(groups: readonly (readonly RankedPassage[])[]): readonly RankedPassage[] {
  const turns = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => groups.flatMap((group) => group[turn] ?? [])).flat();
}

function placeKey({ repository, path, startLine }: RankedPassage): string {
  return `${repository}:${path}:${startLine}`;
}
