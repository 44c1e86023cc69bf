import { basename } from 'node:path/posix';
import type { RankRequest } from '../../port.ts';
import { isSamePath, unmatchedOf, usableNames, usablePaths } from '../../usable-names.ts';
import { eachBit, forEachBit } from '../format/bits.ts';
import { narrow } from '../query/candidates.ts';
import type { ContentAtom } from '../query/compile-query.ts';
import type { SearchRun } from '../query/find-hits.ts';
import { literalMatcher } from '../query/matcher.ts';
import { type DocumentReader, documentReader } from '../query/open-document.ts';
import { bestLine, isDefinition, isWholeWord } from '../query/score-document.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { endOfName, joinedWords, mayBeNamed } from './file-names.ts';

/** An occurrence in a file of a name, text or path exactly as it is written in the question. */
export interface Mention {
  readonly live: LiveSegment;
  readonly document: number;
  /** Between 0 and 1. */
  readonly score: number;
  /** Text for people. */
  readonly reason: string;
}

export interface ExactMentions {
  readonly mentions: readonly Mention[];
  /** The names and texts that certainly no document contains. */
  readonly unmatched: readonly string[];
}

/** Maximum number of documents read per name and segment, in static order. */
const maxDocuments = 300;
/** Maximum number of places that count. */
const maxPlaces = 16;
/** Maximum number of lines examined per name and document. */
const maxLines = 24;
const mentionScore = {
  definition: 1,
  fileOfName: 0.8,
  phrase: 1,
  word: 0.6,
  part: 0.15,
  place: 1,
  path: 1,
  fileName: 0.6,
  partOfPath: 0.4,
};

/** Finds the names, texts and paths of the question as they are written. */
export function exactMentions(
  request: RankRequest,
  segments: readonly LiveSegment[],
  run: SearchRun,
): ExactMentions {
  const names = usableNames(request.identifiers).map((text) => ({ text, isPhrase: false }));
  const phrases = usableNames(request.phrases ?? []).map((text) => ({ text, isPhrase: true }));
  const searched = [...names, ...phrases].map((wanted) => ({
    ...wanted,
    ...mentionsOf(wanted, segments, run),
  }));
  const files = fileMentions(request, segments, run);
  const known = new Set(files.filter(({ name }) => name !== undefined).map(({ name }) => name));
  const isFound = ({ text, mentions, isWhole }: (typeof searched)[number]): boolean =>
    mentions.length > 0 || !isWhole || known.has(text);
  return {
    mentions: [...files, ...searched.flatMap(({ mentions }) => mentions)],
    unmatched: unmatchedOf(searched.map((one) => ({ text: one.text, isFound: isFound(one) }))),
  };
}

interface Wanted {
  readonly text: string;
  readonly isPhrase: boolean;
}

/**
 * Returns the mentions of a name or text. A score falls with the number of its kind: a name that is mentioned
 * everywhere says little, but its definition says as much as that of a rare one.
 */
function mentionsOf(
  wanted: Wanted,
  segments: readonly LiveSegment[],
  run: SearchRun,
): { readonly mentions: Mention[]; readonly isWhole: boolean } {
  const matcher = literalMatcher({
    kind: 'literal',
    text: wanted.text,
    caseSensitive: !wanted.isPhrase,
    field: 'content',
  });
  const atom: ContentAtom = { kind: 'content', matcher };
  const reader = documentReader(run.arena);
  const parts = segments.map((live) => mentionsIn(live, wanted, { atom, reader, run }));
  const found = parts.flatMap(({ mentions }) => mentions);
  const byScore = Map.groupBy(found, ({ score }) => score);
  const spread = (score: number): number => 1 / (1 + Math.log10(byScore.get(score)?.length ?? 1) / 2);
  return {
    mentions: found.map((mention) => ({ ...mention, score: mention.score * spread(mention.score) })),
    isWhole: parts.every(({ isWhole }) => isWhole),
  };
}

function mentionsIn(
  live: LiveSegment,
  { text, isPhrase }: Wanted,
  {
    atom,
    reader,
    run,
  }: { readonly atom: ContentAtom; readonly reader: DocumentReader; readonly run: SearchRun },
): { readonly mentions: Mention[]; readonly isWhole: boolean } {
  const narrowed = narrow(atom, live);
  const mentions: Mention[] = [];
  let read = 0;
  for (const document of eachBit(narrowed.possible, 0, live.segment.documents.count)) {
    if (read++ >= maxDocuments || run.shouldStop()) return { mentions, isWhole: false };
    const best = bestLine(atom, reader.open(live, document, narrowed), maxLines);
    if (best.lines === 0) continue;
    if (isPhrase) mentions.push({ live, document, score: mentionScore.phrase, reason: `contains "${text}"` });
    else if (isDefinition(best))
      mentions.push({ live, document, score: mentionScore.definition, reason: `defines ${text}` });
    else {
      const score = isWholeWord(best) ? mentionScore.word : mentionScore.part;
      mentions.push({ live, document, score, reason: `mentions ${text}` });
    }
  }
  return { mentions, isWhole: true };
}

interface FileMention extends Mention {
  /** The name whose file this is; `undefined` for a path. */
  readonly name?: string;
}

/**
 * Returns the files that the question names: by path, by file name, by a line in them, or by a name that is that of
 * the file (`vOnce.ts` for `v-once`, `scrapy/cmdline.py` for `scrapy.cmdline`).
 */
function fileMentions(
  request: RankRequest,
  segments: readonly LiveSegment[],
  { shouldStop }: SearchRun,
): FileMention[] {
  const paths = usablePaths(request.paths).map(wantedPath);
  const names = usableNames(request.identifiers)
    .map((name) => ({ name, stem: joinedWords(name) }))
    .filter(({ stem }) => stem.length > 2);
  const places = (request.places ?? []).slice(0, maxPlaces);
  if (paths.length + names.length + places.length === 0) return [];
  const called = [...names.map(({ stem }) => stem), ...places.map(({ path }) => path.toLowerCase())];
  return segments.flatMap((live) => {
    const mentions: FileMention[] = [];
    if (shouldStop()) return mentions;
    const { documents } = live.segment;
    // A path may be a part of any other one; names and places are looked up.
    const lowerPath = paths.length > 0 ? documents.lowerPaths() : undefined;
    const mayMatch = mayBeNamed(live, called);
    forEachBit(live.documents, documents.count, (document) => {
      const isLike = mayMatch(document);
      if (!isLike && lowerPath === undefined) return;
      const known = live.renamed.has(document) ? undefined : lowerPath?.(document);
      const lower = known ?? live.path(document).toLowerCase();
      const end = endOfName(lower);
      const score = paths.reduce((best, wanted) => Math.max(best, pathScore(lower, end, wanted)), 0);
      if (score > 0) mentions.push({ live, document, score, reason: 'named in the question' });
      if (!isLike) return;
      const place = places.find((one) => isSamePath(live.path(document), one.path));
      if (place !== undefined) {
        const reason = `line ${place.line} named in the question`;
        mentions.push({ live, document, score: mentionScore.place, reason });
      }
      for (const { name, stem } of names) {
        if (!`/${joinedWords(lower.slice(0, end))}`.endsWith(`/${stem}`)) continue;
        mentions.push({ live, document, score: mentionScore.fileOfName, reason: `named like ${name}`, name });
      }
    });
    return mentions;
  });
}

/** A path of the question, in lower case. */
interface WantedPath {
  readonly path: string;
  readonly name: string;
  readonly stem: string;
}

function wantedPath(given: string): WantedPath {
  const path = given.toLowerCase();
  return { path, name: basename(path), stem: joinedWords(path) };
}

function pathScore(path: string, end: number, wanted: WantedPath): number {
  if (path.endsWith(wanted.path) && isSamePath(path, wanted.path)) return mentionScore.path;
  if (path.endsWith(wanted.name) && basename(path) === wanted.name) return mentionScore.fileName;
  if (path[end - 1] === wanted.stem.at(-1) && joinedWords(basename(path.slice(0, end))) === wanted.stem)
    return mentionScore.fileOfName;
  return wanted.path.length >= 3 && path.includes(wanted.path) ? mentionScore.partOfPath : 0;
}
