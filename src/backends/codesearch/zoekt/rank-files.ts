import { basename } from 'node:path/posix';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { languageOf } from '../../languages/port.ts';
import type { DefinitionReader } from '../definition-reader.ts';
import { fileClassOf } from '../file-class.ts';
import { filesToRead, rankedPassages } from '../passages/ranked-passages.ts';
import {
  type ClassWeights,
  classWeights,
  type RankedFile,
  type RankedPassages,
  type RankRequest,
  type RankResult,
} from '../port.ts';
import { unmatchedOf, usableNames, usablePaths } from '../usable-names.ts';
import { printText } from './query/print-regex.ts';
import { and, constant, or, printQuery, simplify, type ZoektQuery } from './query/zoekt-query.ts';
import { type Candidate, type Question, reasonsOf, scoreOf } from './rank-reasons.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';
import { type Contents, contentKey, readContents } from './read-contents.ts';
import { repositoryOf } from './repository-name.ts';
import { indexed, rangeOf } from './search-range.ts';
import type { ZoektClient, ZoektFile, ZoektLine, ZoektResult } from './zoekt-client.ts';

const slackMs = 500;
/** Maximum number of files in the result of each of the two searches. */
const maxFiles = 200;
const maxLines = 20_000;
/** Factor of the files in a repository that the question names. */
const preferredFactor = 1.5;

interface RankedCandidate {
  readonly candidate: Candidate;
  readonly file: RankedFile;
}

/**
 * Ranks the files related to the terms by two searches: BM25 for the words, and Zoekt's scores of symbols, whole
 * words and file names for the names in the question. Both scores are added.
 */
export async function rankFiles(
  { client, definitions }: { readonly client: ZoektClient; readonly definitions: DefinitionReader },
  scope: DataScope,
  request: RankRequest,
  leftMs: number,
  signal: AbortSignal,
): Promise<RankResult> {
  const question: Question = {
    terms: rankTerms([...request.terms, ...request.identifiers]),
    names: usableNames(request.identifiers),
    phrases: usableNames(request.phrases ?? []),
    // A stack trace names paths of another machine, of which only the last part is certain.
    paths: usablePaths([...request.paths, ...(request.places ?? []).map(({ path }) => basename(path))]),
  };
  const started = performance.now();
  const range = rangeOf(scope, request.repositories);
  const run = async (query: ZoektQuery, bm25: boolean): Promise<ZoektResult | undefined> => {
    const simplified = simplify(and(range.query, { kind: 'branch', text: 'HEAD' }, query, indexed));
    if (simplified.kind === 'constant') return undefined;
    const options = {
      MaxDocDisplayCount: maxFiles,
      MaxMatchDisplayCount: maxLines,
      MaxWallTime: Math.round(leftMs) * 1_000_000,
      UseBM25Scoring: bm25,
    };
    return client.search(
      { query: printQuery(simplified), ...range.numbers, options },
      Math.round(leftMs) + slackMs,
      signal,
    );
  };
  const [byTerms, exact] = await Promise.all([
    run(termsQuery(question.terms), true),
    run(exactQuery(question), false),
  ]);
  const allowed = request.repositories && new Set(request.repositories.map(({ id }) => id));
  const candidates = candidatesOf(byTerms?.Files ?? [], exact?.Files ?? []).filter(({ file }) => {
    const repository = repositoryOf(scope, file.Repository);
    return repository !== undefined && allowed?.has(repository) !== false;
  });
  const ordered = candidates
    .map(
      (candidate): RankedCandidate => ({ candidate, file: rankedFile(scope, candidate, question, request) }),
    )
    .toSorted((a, b) => b.file.score - a.file.score || compare(a.candidate.file, b.candidate.file));
  const ranked = ordered.slice(0, request.limit);
  const read = filesToRead(ordered, request, ({ file }) => ({ ...file, bytes: 0 }));
  const contents = await readContents(
    client,
    read.map(({ candidate }) => candidate.file),
    { query: and(range.query, { kind: 'branch', text: 'HEAD' }), ...range.numbers },
    leftMs - (performance.now() - started),
    signal,
  );
  const found = incompleteness([byTerms, exact]);
  let isCut = false;
  const shouldStop = (): boolean => {
    isCut ||= performance.now() - started >= leftMs;
    return isCut;
  };
  const passages = await passagesOf(read, contents, request, {
    best: ordered[0],
    definitions,
    signal,
    shouldStop,
  });
  const isCertain = Object.keys(found).length === 0 && (exact?.Files ?? []).length < maxFiles;
  return {
    files: ranked.map(({ file }) => file),
    passages,
    unmatched: isCertain ? unmatchedIn(question, candidates) : [],
    ...found,
    ...(isCut ? { partial: true } : {}),
  };
}

/** Ranks the passages of the files whose texts were read. */
async function passagesOf(
  candidates: readonly RankedCandidate[],
  contents: Contents,
  request: RankRequest,
  {
    best,
    definitions,
    signal,
    shouldStop,
  }: {
    readonly best: RankedCandidate | undefined;
    readonly definitions: DefinitionReader;
    readonly signal: AbortSignal;
    readonly shouldStop: () => boolean;
  },
): Promise<RankedPassages> {
  const present = candidates.flatMap(({ candidate, file }) => {
    const text = contents.get(contentKey(candidate.file));
    return text === undefined ? [] : [{ file, text: Buffer.from(text) }];
  });
  const read = filesToRead(present, request, ({ file, text }) => ({ ...file, bytes: text.length }));
  const found = await definitions.read(
    read.map(({ file: { path, language }, text }) => ({ path, language, text })),
    signal,
  );
  const top = Math.max(best?.file.score ?? 0, Number.EPSILON);
  const files = read.map((one, at) => ({ ...one, share: one.file.score / top, definitions: found[at]! }));
  return rankedPassages(files, request, shouldStop);
}

/** Returns the names and texts of the question that no line of the found files contains. */
function unmatchedIn({ names, phrases }: Question, candidates: readonly Candidate[]): string[] {
  const lines = candidates.flatMap((candidate) => candidate.lines.map(({ Line }) => Line.toString('utf8')));
  const lower = lines.map((line) => line.toLowerCase());
  return unmatchedOf([
    ...names.map((text) => ({ text, isFound: lines.some((line) => line.includes(text)) })),
    ...phrases.map((text) => ({ text, isFound: lower.some((line) => line.includes(text.toLowerCase())) })),
  ]);
}

function termsQuery(terms: readonly RankTerm[]): ZoektQuery {
  return or(
    ...terms.map(
      ({ stem }): ZoektQuery => ({
        kind: 'pattern',
        field: 'any',
        pattern: printText(stem),
        caseSensitive: false,
      }),
    ),
  );
}

function exactQuery({ names, phrases, paths }: Question): ZoektQuery {
  const queries = [
    ...names.flatMap((name): ZoektQuery[] => [
      { kind: 'pattern', field: 'symbol', pattern: `^${printText(name)}$`, caseSensitive: true },
      { kind: 'pattern', field: 'content', pattern: printText(name), caseSensitive: true },
    ]),
    ...phrases.map(
      (text): ZoektQuery => ({
        kind: 'pattern',
        field: 'content',
        pattern: printText(text),
        caseSensitive: false,
      }),
    ),
    ...paths.map(
      (path): ZoektQuery => ({
        kind: 'pattern',
        field: 'path',
        pattern: `(?:^|/)${printText(path)}$`,
        caseSensitive: false,
      }),
    ),
  ];
  return queries.length === 0 ? constant(false) : or(...queries);
}

function candidatesOf(byTerms: readonly ZoektFile[], exact: readonly ZoektFile[]): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (files: readonly ZoektFile[], signal: 'terms' | 'exact'): void => {
    const max = files.reduce((highest, { Score }) => Math.max(highest, Score), 1e-9);
    for (const file of files) {
      const key = `${file.Repository}\0${file.FileName}`;
      const known = found.get(key) ?? { file, lines: [], terms: 0, exact: 0 };
      const lines = (file.LineMatches ?? []).filter((line) => !line.FileName);
      // Lines with names come first, because their scores have another scale.
      const joined =
        signal === 'exact' ? [...lines.toSorted(byScore), ...known.lines] : lines.toSorted(byScore);
      found.set(key, { ...known, lines: joined, [signal]: file.Score / max });
    }
  };
  add(byTerms, 'terms');
  add(exact, 'exact');
  return [...found.values()];
}

function byScore(a: ZoektLine, b: ZoektLine): number {
  return b.Score - a.Score || a.LineNumber - b.LineNumber;
}

function compare(a: ZoektFile, b: ZoektFile): number {
  if (a.FileName !== b.FileName) return a.FileName < b.FileName ? -1 : 1;
  return a.Repository < b.Repository ? -1 : 1;
}

function rankedFile(
  scope: DataScope,
  candidate: Candidate,
  question: Question,
  { weights, preferred }: RankRequest,
): RankedFile {
  const { file } = candidate;
  const byClass: ClassWeights = { ...classWeights, ...weights };
  const language = languageOf(file.FileName);
  const fileClass = fileClassOf(file.FileName, language);
  const repository = repositoryOf(scope, file.Repository)!;
  const factor = byClass[fileClass] * (preferred?.includes(repository) === true ? preferredFactor : 1);
  return {
    repository,
    commit: file.Version,
    path: file.FileName,
    language,
    fileClass,
    score: scoreOf(candidate) * factor,
    reasons: reasonsOf(candidate, question),
  };
}

function incompleteness(
  results: readonly (ZoektResult | undefined)[],
): Pick<RankResult, 'partial' | 'incomplete'> {
  const present = results.filter((result) => result !== undefined);
  const isTruncated = present.some(({ FilesSkipped, ShardsSkipped }) => FilesSkipped + ShardsSkipped > 0);
  return {
    ...(isTruncated ? { partial: true } : {}),
    ...(present.some(({ Crashes }) => Crashes > 0) ? { incomplete: 'damaged' } : {}),
  };
}
