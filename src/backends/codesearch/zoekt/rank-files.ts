import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { languageOf } from '../language.ts';
import type { LineSpan, RankedFile, RankRequest, RankResult } from '../port.ts';
import { usableNames, usablePaths } from '../usable-names.ts';
import { printText } from './query/print-regex.ts';
import { and, constant, or, printQuery, simplify, type ZoektQuery } from './query/zoekt-query.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';
import { repositoryOf } from './repository-name.ts';
import { INDEXED, rangeOf } from './search-range.ts';
import type { ZoektClient, ZoektFile, ZoektLine, ZoektResult } from './zoekt-client.ts';

const SLACK_MS = 500;
/** Zoekt's answers to each of the two questions. */
const MOST_FILES = 200;
const MOST_LINES = 20_000;
const MOST_SPANS = 3;
/** Of a file that is named, beside 1 for the one that speaks most of the terms. */
const EXACT_WEIGHT = 0.6;

interface Question {
  readonly terms: readonly RankTerm[];
  readonly names: readonly string[];
  readonly paths: readonly string[];
}

/** A file with what Zoekt gave it for either question, 0 to 1. */
interface Candidate {
  readonly file: ZoektFile;
  readonly lines: readonly ZoektLine[];
  readonly terms: number;
  readonly exact: number;
}

/**
 * Files that speak of the terms, in Zoekt's own order: by BM25 for the words, by its scores of symbols, whole words and
 * file names for what the question names; the two are added.
 */
export async function rankFiles(
  client: ZoektClient,
  scope: OrgScope,
  request: RankRequest,
  leftMs: number,
  signal: AbortSignal,
): Promise<RankResult> {
  const question: Question = {
    terms: rankTerms([...request.terms, ...request.identifiers]),
    names: usableNames(request.identifiers),
    paths: usablePaths(request.paths),
  };
  const range = rangeOf(scope, request.repositories);
  const ask = async (query: ZoektQuery, bm25: boolean): Promise<ZoektResult | undefined> => {
    const asked = simplify(and(range.query, { kind: 'branch', text: 'HEAD' }, query, INDEXED));
    if (asked.kind === 'constant') return undefined;
    const options = {
      MaxDocDisplayCount: MOST_FILES,
      MaxMatchDisplayCount: MOST_LINES,
      MaxWallTime: Math.round(leftMs) * 1_000_000,
      UseBM25Scoring: bm25,
    };
    return client.search(
      { query: printQuery(asked), ...range.numbers, options },
      Math.round(leftMs) + SLACK_MS,
      signal,
    );
  };
  const [byTerms, exact] = await Promise.all([
    ask(termsQuery(question.terms), true),
    ask(exactQuery(question), false),
  ]);
  const allowed = request.repositories && new Set(request.repositories.map(({ id }) => id));
  const files = candidatesOf(byTerms?.Files ?? [], exact?.Files ?? [])
    .filter(({ file }) => {
      const repository = repositoryOf(scope, file.Repository);
      return repository !== undefined && allowed?.has(repository) !== false;
    })
    .toSorted((a, b) => scoreOf(b) - scoreOf(a) || compare(a.file, b.file))
    .slice(0, request.limit);
  return {
    files: files.map((candidate) => rankedFile(scope, candidate, question)),
    ...incompleteness([byTerms, exact]),
  };
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

function exactQuery({ names, paths }: Question): ZoektQuery {
  const asked = [
    ...names.flatMap((name): ZoektQuery[] => [
      { kind: 'pattern', field: 'symbol', pattern: `^${printText(name)}$`, caseSensitive: true },
      { kind: 'pattern', field: 'content', pattern: printText(name), caseSensitive: true },
    ]),
    ...paths.map(
      (path): ZoektQuery => ({
        kind: 'pattern',
        field: 'path',
        pattern: `(?:^|/)${printText(path)}$`,
        caseSensitive: false,
      }),
    ),
  ];
  return asked.length === 0 ? constant(false) : or(...asked);
}

function candidatesOf(byTerms: readonly ZoektFile[], exact: readonly ZoektFile[]): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (files: readonly ZoektFile[], signal: 'terms' | 'exact'): void => {
    const most = files.reduce((highest, { Score }) => Math.max(highest, Score), 1e-9);
    for (const file of files) {
      const key = `${file.Repository}\0${file.FileName}`;
      const known = found.get(key) ?? { file, lines: [], terms: 0, exact: 0 };
      const lines = (file.LineMatches ?? []).filter((line) => !line.FileName);
      // Named lines go first: their scores are of another scale.
      const joined =
        signal === 'exact' ? [...lines.toSorted(byScore), ...known.lines] : lines.toSorted(byScore);
      found.set(key, { ...known, lines: joined, [signal]: file.Score / most });
    }
  };
  add(byTerms, 'terms');
  add(exact, 'exact');
  return [...found.values()];
}

function byScore(a: ZoektLine, b: ZoektLine): number {
  return b.Score - a.Score || a.LineNumber - b.LineNumber;
}

function scoreOf({ terms, exact }: Candidate): number {
  return terms + EXACT_WEIGHT * exact;
}

function compare(a: ZoektFile, b: ZoektFile): number {
  if (a.FileName !== b.FileName) return a.FileName < b.FileName ? -1 : 1;
  return a.Repository < b.Repository ? -1 : 1;
}

function rankedFile(scope: OrgScope, candidate: Candidate, question: Question): RankedFile {
  const { file } = candidate;
  return {
    repository: repositoryOf(scope, file.Repository)!,
    commit: file.Version,
    path: file.FileName,
    language: languageOf(file.FileName),
    score: scoreOf(candidate),
    reasons: reasonsOf(candidate, question),
    spans: spansOf(candidate.lines),
  };
}

const MOST_WORDS = 4;

function reasonsOf({ file, lines, exact, terms }: Candidate, question: Question): string[] {
  const texts = lines.map((line) => line.Line.toString('utf8'));
  const defined = new Set(
    lines.flatMap((line) => (line.LineFragments ?? []).flatMap(({ SymbolInfo }) => SymbolInfo?.Sym ?? [])),
  );
  const path = file.FileName.toLowerCase();
  const named = question.names.flatMap((name) => {
    if (defined.has(name)) return [`defines ${name}`];
    return texts.some((text) => text.includes(name)) ? [`mentions ${name}`] : [];
  });
  const byPath = question.paths.some((wanted) => `/${path}`.endsWith(`/${wanted.toLowerCase()}`));
  const lower = texts.map((text) => text.toLowerCase());
  const inContent = wordsIn(question.terms, (stem) => lower.some((text) => text.includes(stem)));
  const inPath = wordsIn(question.terms, (stem) => path.includes(stem));
  const exactly = [...named.slice(0, MOST_WORDS), ...(byPath ? ['named in the question'] : [])];
  const spoken = [
    ...(inContent === '' ? [] : [`content: ${inContent}`]),
    ...(inPath === '' ? [] : [`path: ${inPath}`]),
  ];
  return EXACT_WEIGHT * exact >= terms ? [...exactly, ...spoken] : [...spoken, ...exactly];
}

function wordsIn(terms: readonly RankTerm[], holds: (stem: string) => boolean): string {
  const words = terms.filter(({ stem }) => holds(stem)).map(({ word }) => word);
  return words.slice(0, MOST_WORDS).join(', ');
}

/** The best lines with some round them; those that touch are one. */
function spansOf(lines: readonly ZoektLine[]): LineSpan[] {
  const spans: { startLine: number; endLine: number }[] = [];
  for (const { LineNumber: line } of lines) {
    const near = spans.find(({ startLine, endLine }) => line >= startLine - 3 && line <= endLine + 3);
    if (near !== undefined) {
      near.startLine = Math.min(near.startLine, Math.max(1, line - 2));
      near.endLine = Math.max(near.endLine, line + 2);
    } else if (spans.length < MOST_SPANS) spans.push({ startLine: Math.max(1, line - 2), endLine: line + 2 });
  }
  return spans;
}

function incompleteness(results: readonly (ZoektResult | undefined)[]): Pick<RankResult, 'incomplete'> {
  const asked = results.filter((result) => result !== undefined);
  if (asked.some(({ Crashes }) => Crashes > 0)) return { incomplete: 'damaged' };
  const cut = asked.some(({ FilesSkipped, ShardsSkipped }) => FilesSkipped + ShardsSkipped > 0);
  return cut ? { incomplete: 'deadline' } : {};
}
