import type { FineDocument } from './fine-scores.ts';
import { type Lane, laneWeights } from './fuse.ts';
import type { RankTerm } from './rank-terms.ts';

const maxWords = 4;

/** Returns the reasons for the score of a file as texts for people, strongest first. */
export function reasonsOf(ranked: FineDocument, terms: readonly RankTerm[]): string[] {
  const { values } = ranked;
  // Recency only separates files that are otherwise alike; words and pairs repeat what the content says.
  const told: readonly Lane[] = ['content', 'path', 'exact', 'history', 'area'];
  return told
    .filter((lane) => values[lane] > 0)
    .toSorted((a, b) => ranked.shares[b] - ranked.shares[a] || laneWeights[b] - laneWeights[a])
    .flatMap((lane) => reasonOf(lane, ranked, terms));
}

function reasonOf(lane: Lane, ranked: FineDocument, terms: readonly RankTerm[]): string[] {
  const { segment, document, path } = ranked;
  if (lane === 'history') {
    const age = segment.past?.files.get(path)?.change;
    const change = age === undefined ? undefined : segment.past?.commit(age);
    return change === undefined ? [] : [`similar change: ${change.subject} (${change.id.slice(0, 7)})`];
  }
  if (lane === 'exact') {
    const reasons = segment.mentions.get(document)?.map((mention) => mention.reason) ?? [];
    return [[...new Set(reasons)].slice(0, maxWords).join(', ')];
  }
  if (lane === 'area') return ['path: the area that the question names'];
  const mask = (lane === 'content' ? segment.fields.contentTerms : segment.fields.pathTerms)[document]!;
  const words = terms.filter((_, bit) => (mask & (1 << bit)) !== 0).map((term) => term.word);
  const distinct = [...new Set(words)].slice(0, maxWords);
  return distinct.length === 0 ? [] : [`${lane}: ${distinct.join(', ')}`];
}
