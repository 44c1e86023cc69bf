import type { DefinitionReader, DefinitionSource } from '../definition-reader.ts';
import { type Definition, maxFilesWithText, type RankedFile, type RankRequest } from '../port.ts';
import { chooseSpans, type ReadFile, type TermHit } from '../spans/choose-spans.ts';
import { isSamePath, usableNames } from '../usable-names.ts';
import type { RankTerm } from './rank-terms.ts';

/** A ranked file with its text; `undefined` if it could not be read. */
export interface FileWithText {
  readonly file: ReadFile['file'];
  readonly text: string | undefined;
}

/** Maximum number of term occurrences, and of lines with a name, that are kept per file. */
const max = { hits: 5000, exactLines: 64 } as const;

interface Question {
  readonly terms: readonly RankTerm[];
  readonly request: RankRequest;
  readonly definitions: DefinitionReader;
  readonly signal: AbortSignal;
}

/** Adds the spans and definitions to the first files of a ranking. */
export async function addSpans(
  files: readonly FileWithText[],
  { terms, request, definitions, signal }: Question,
): Promise<RankedFile[]> {
  const present = files
    .slice(0, maxFilesWithText)
    .flatMap(({ file, text }) => (text === undefined ? [] : [{ file, text }]));
  const found = await definitions.read(present.map(sourceOf), signal);
  const read = present.map(({ file, text }, index) => readFile(file, text, terms, request, found[index]!));
  const weights = terms.map((_, term) => {
    const holding = read.filter(({ hits }) => hits.some((hit) => hit.term === term)).length;
    return Math.log(1 + read.length / (1 + holding));
  });
  const chosen = new Map(
    chooseSpans(read, { weights, names: request.identifiers }).map((file, index) => [
      read[index]!.file,
      file,
    ]),
  );
  return files.map(({ file }) => chosen.get(file) ?? { ...file, spans: [], definitions: [] });
}

function readFile(
  file: ReadFile['file'],
  text: string,
  terms: readonly RankTerm[],
  request: RankRequest,
  found: readonly Definition[],
): ReadFile {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const names = usableNames(request.identifiers);
  const phrases = usableNames(request.phrases ?? []).map((phrase) => phrase.toLowerCase());
  const hits: TermHit[] = [];
  const exactLines: number[] = [];
  lines.forEach((line, at) => {
    const lower = line.toLowerCase();
    terms.forEach(({ stem }, term) => {
      if (hits.length < max.hits && lower.includes(stem)) hits.push({ line: at + 1, term });
    });
    const isExact =
      names.some((name) => line.includes(name)) || phrases.some((phrase) => lower.includes(phrase));
    if (isExact && exactLines.length < max.exactLines) exactLines.push(at + 1);
  });
  const places = (request.places ?? [])
    .filter(({ path }) => isSamePath(file.path, path))
    .map(({ line }) => line);
  const definitions = found.filter(({ line }) => line <= lines.length);
  return { file, lines, definitions, hits, exactLines: [...exactLines, ...places] };
}

function sourceOf({
  file,
  text,
}: {
  readonly file: ReadFile['file'];
  readonly text: string;
}): DefinitionSource {
  return { path: file.path, language: file.language, text: Buffer.from(text) };
}
