import { isSamePath } from '../usable-names.ts';
import type { RankTerm } from './rank-terms.ts';
import type { ZoektFile, ZoektLine } from './zoekt-client.ts';

/** Weight of an exact match; the best match of the terms has the weight 1. */
const exactWeight = 0.6;

export interface Question {
  readonly terms: readonly RankTerm[];
  readonly names: readonly string[];
  readonly phrases: readonly string[];
  readonly paths: readonly string[];
}

/** A file with its normalized scores in both searches, 0 to 1. */
export interface Candidate {
  readonly file: ZoektFile;
  readonly lines: readonly ZoektLine[];
  readonly terms: number;
  readonly exact: number;
}

export function scoreOf({ terms, exact }: Candidate): number {
  return terms + exactWeight * exact;
}

const maxWords = 4;

/** Returns the reasons for the score of a file as texts for people, strongest first. */
export function reasonsOf({ file, lines, exact, terms }: Candidate, question: Question): string[] {
  const texts = lines.map((line) => line.Line.toString('utf8'));
  const defined = new Set(
    lines.flatMap((line) => (line.LineFragments ?? []).flatMap(({ SymbolInfo }) => SymbolInfo?.Sym ?? [])),
  );
  const path = file.FileName.toLowerCase();
  const named = question.names.flatMap((name) => {
    if (defined.has(name)) return [`defines ${name}`];
    return texts.some((text) => text.includes(name)) ? [`mentions ${name}`] : [];
  });
  const byPath = question.paths.some((wanted) => isSamePath(path, wanted.toLowerCase()));
  const lower = texts.map((text) => text.toLowerCase());
  const inContent = wordsIn(question.terms, (stem) => lower.some((text) => text.includes(stem)));
  const inPath = wordsIn(question.terms, (stem) => path.includes(stem));
  const quoted = question.phrases
    .filter((phrase) => lower.some((text) => text.includes(phrase.toLowerCase())))
    .map((phrase) => `contains "${phrase}"`);
  const byName = [...[...named, ...quoted].slice(0, maxWords), ...(byPath ? ['named in the question'] : [])];
  const byTerm = [
    ...(inContent === '' ? [] : [`content: ${inContent}`]),
    ...(inPath === '' ? [] : [`path: ${inPath}`]),
  ];
  return exactWeight * exact >= terms ? [...byName, ...byTerm] : [...byTerm, ...byName];
}

function wordsIn(terms: readonly RankTerm[], holds: (stem: string) => boolean): string {
  const words = terms.filter(({ stem }) => holds(stem)).map(({ word }) => word);
  return words.slice(0, maxWords).join(', ');
}
