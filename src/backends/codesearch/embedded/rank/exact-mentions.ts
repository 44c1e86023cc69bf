import { basename } from 'node:path/posix';
import { usableNames, usablePaths } from '../../usable-names.ts';
import { eachBit } from '../format/bits.ts';
import { narrow } from '../query/candidates.ts';
import type { ContentAtom } from '../query/compile-query.ts';
import type { SearchRun } from '../query/find-hits.ts';
import { literalMatcher } from '../query/matcher.ts';
import { documentReader } from '../query/open-document.ts';
import { bestLine, isDefinition, isWholeWord } from '../query/score-document.ts';
import type { LiveSegment } from '../read/live-segment.ts';

/** A name as it stands in the question, found as it stands in a file. */
export interface Mention {
  readonly live: LiveSegment;
  readonly document: number;
  /** 0 to 1. */
  readonly score: number;
  /** For people. */
  readonly reason: string;
}

/** Documents read for one name in one segment, in static order. */
const MOST_DOCUMENTS = 300;
/** Lines of one document that are looked at for one name. */
const MOST_LINES = 24;
const SCORE = { definition: 1, word: 0.6, part: 0.15, path: 1, fileName: 0.6, partOfPath: 0.4 };

/** Whole-word mentions of identifiers. A name that stands everywhere says little: its score falls with its spread. */
export function identifierMentions(
  identifiers: readonly string[],
  segments: readonly LiveSegment[],
  run: SearchRun,
): Mention[] {
  return usableNames(identifiers).flatMap((name) => {
    const atom: ContentAtom = {
      kind: 'content',
      matcher: literalMatcher({ kind: 'literal', text: name, caseSensitive: true, field: 'content' }),
    };
    const found = segments.flatMap((live) => mentionsIn(live, name, atom, run));
    const spread = 1 / (1 + Math.log10(Math.max(1, found.length)) / 2);
    return found.map((mention) => ({ ...mention, score: mention.score * spread }));
  });
}

function mentionsIn(live: LiveSegment, name: string, atom: ContentAtom, run: SearchRun): Mention[] {
  const narrowed = narrow(atom, live);
  const reader = documentReader(run.arena);
  const mentions: Mention[] = [];
  let read = 0;
  for (const document of eachBit(narrowed.possible, 0, live.segment.documents.count)) {
    if (read++ >= MOST_DOCUMENTS || run.checkpoint()) break;
    const best = bestLine(atom, reader.open(live, document, narrowed), MOST_LINES);
    if (best.lines === 0) continue;
    if (isDefinition(best))
      mentions.push({ live, document, score: SCORE.definition, reason: `defines ${name}` });
    else {
      const score = isWholeWord(best) ? SCORE.word : SCORE.part;
      mentions.push({ live, document, score, reason: `mentions ${name}` });
    }
  }
  return mentions;
}

/** Files that the question names by path or by file name. */
export function pathMentions(paths: readonly string[], segments: readonly LiveSegment[]): Mention[] {
  const wanted = usablePaths(paths).map((path) => path.toLowerCase());
  if (wanted.length === 0) return [];
  return segments.flatMap((live) => {
    const mentions: Mention[] = [];
    for (const document of eachBit(live.documents, 0, live.segment.documents.count)) {
      const path = live.path(document).toLowerCase();
      const score = Math.max(...wanted.map((name) => pathScore(path, name)));
      if (score > 0) mentions.push({ live, document, score, reason: 'named in the question' });
    }
    return mentions;
  });
}

function pathScore(path: string, wanted: string): number {
  if (path === wanted || path.endsWith(`/${wanted}`)) return SCORE.path;
  if (basename(path) === basename(wanted)) return SCORE.fileName;
  return wanted.length >= 3 && path.includes(wanted) ? SCORE.partOfPath : 0;
}
