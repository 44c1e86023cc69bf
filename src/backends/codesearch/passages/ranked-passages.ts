import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { classWeights, type FileClass } from '../file-class.ts';
import {
  type Confidence,
  type Definition,
  maxLineLength,
  maxPassages,
  type NumberedLine,
  type RankedDefinition,
  type RankedFile,
  type RankedPassage,
  type RankedPassages,
  type RankRequest,
} from '../port.ts';
import { isSamePath } from '../usable-names.ts';
import { isFunction, isValue } from './cut-passages.ts';
import { definitionExtents, readText } from './definition-extents.ts';
import { rankPassages, type ScoredPassage } from './rank-passages.ts';
import type { PassageFile } from './read-passages.ts';

/** A ranked file with its text. */
export interface FileOfPassages {
  readonly file: RankedFile;
  /** Its score as a share of the best one. */
  readonly share: number;
  readonly text: Buffer;
  /** In line order. */
  readonly definitions: readonly Definition[];
}

/**
 * Limits of the texts whose passages are ranked, and of the question: `perRepository` files of each repository are read
 * besides the first ones if passages of every repository are wanted.
 */
const maxRead = { files: 40, bytes: 640 << 10, perRepository: 3, characters: 4_000 } as const;

/** Classes of files whose passages answer a question only if it asks for such files. */
const besides: ReadonlySet<FileClass> = new Set(['test', 'fixture', 'generated']);

function isAskedFor(fileClass: FileClass, { weights }: RankRequest): boolean {
  return (weights?.[fileClass] ?? 0) > classWeights[fileClass];
}

/** Returns the ranked files, given best first, whose passages are to be ranked. */
export function filesToRead<T>(
  ranked: readonly T[],
  request: RankRequest,
  describe: (one: T) => Pick<RankedFile, 'repository' | 'fileClass'> & { readonly bytes: number },
): T[] {
  const chosen: T[] = [];
  const perRepository = new Map<RepositoryId, number>();
  let bytes = 0;
  for (const one of ranked) {
    const { repository, fileClass, bytes: size } = describe(one);
    if (besides.has(fileClass) && !isAskedFor(fileClass, request)) continue;
    const own = perRepository.get(repository) ?? 0;
    const fits = chosen.length < maxRead.files && bytes <= maxRead.bytes;
    const isReserved =
      own < maxRead.perRepository && (own > 0 || perRepository.size < maxPassages.repositories);
    if (!fits && !(request.everyRepository === true && isReserved)) continue;
    perRepository.set(repository, own + 1);
    bytes += size;
    chosen.push(one);
  }
  return chosen;
}

/** A file whose passages are ranked, with its values outside of functions. */
interface ReadFile {
  readonly ranked: RankedFile;
  readonly values: readonly RankedDefinition[];
}

/** Number and bytes of the first files whose passages are ranked also if the time is used up. */
const leastRead = { files: 10, bytes: 160 << 10 } as const;

/**
 * Ranks the passages of files. `shouldStop` is asked before each file: once it returns true, only the passages of the
 * files before it are ranked, at least those of the first file.
 */
export function rankedPassages(
  ranked: readonly FileOfPassages[],
  request: RankRequest,
  shouldStop: () => boolean,
): RankedPassages {
  const files = new Map<PassageFile, ReadFile>();
  let bytes = 0;
  const read = function* (): Generator<PassageFile> {
    for (const one of ranked) {
      const isEnough = files.size >= leastRead.files || bytes > leastRead.bytes;
      if (isEnough && shouldStop()) return;
      const file = toRead(one, request);
      files.set(file, { ranked: one.file, values: outerValues(file.definitions) });
      bytes += one.text.length;
      yield file;
    }
  };
  const { identifiers, phrases = [] } = request;
  const question = request.question.slice(0, maxRead.characters);
  const { best, nearest, covered } = rankPassages(read(), { question, identifiers, phrases });
  const toPublic = (passage: ScoredPassage): RankedPassage => toRanked(passage, (file) => files.get(file)!);
  return {
    best: best.slice(0, maxPassages.count).map(toPublic),
    nearest: nearest.slice(0, maxPassages.repositories).map(toPublic),
    confidence: confidenceOf(best.slice(0, shown), covered(shown)),
  };
}

function toRead({ file, share, text, definitions }: FileOfPassages, request: RankRequest): PassageFile {
  const { repository, fileClass, path, language } = file;
  const read = readText(linesOf(text), language);
  const { lines } = read;
  const inText = definitions.filter(({ line }) => line <= lines.length);
  return {
    repository,
    path,
    language,
    fileClass,
    isAskedFor: isAskedFor(fileClass, request),
    share,
    ...read,
    definitions: definitionExtents(read, inText),
    places: (request.places ?? []).filter((one) => isSamePath(path, one.path)).map(({ line }) => line),
  };
}

/**
 * Least probability that the answer is among the first passages. For `likely`, they also have this share of the
 * question's words, weighted by rarity: without it, the best of poor passages looks as likely as a good one.
 */
const least = { likely: 0.8, possible: 0.5, covered: 0.7 } as const;
const shown = 5;

function confidenceOf(passages: readonly ScoredPassage[], covered: number): Confidence {
  const sum = passages.reduce((total, { probability }) => total + probability, 0);
  if (sum >= least.likely && covered >= least.covered) return 'likely';
  return sum >= least.possible ? 'possible' : 'weak';
}

function linesOf(text: Buffer): string[] {
  const whole = text.toString();
  if (whole === '') return [];
  const end = whole.endsWith('\r\n') ? -2 : whole.endsWith('\n') ? -1 : whole.length;
  const body = whole.slice(0, end);
  // A pattern takes several times as long.
  return body.split(body.includes('\r') ? /\r?\n/ : '\n');
}

function toRanked(passage: ScoredPassage, readOf: (file: PassageFile) => ReadFile): RankedPassage {
  const { definition, containers, startLine, endLine, score } = passage;
  const { ranked, values } = readOf(passage.file);
  const { repository, commit, path, language, fileClass } = ranked;
  const lines = linesToShow(passage);
  return {
    repository,
    commit,
    path,
    language,
    fileClass,
    startLine,
    endLine,
    ...(definition === undefined ? {} : { definition }),
    containers,
    score,
    lines,
    values: valuesOf(passage, lines, values),
  };
}

/** Returns the lines of a passage; of a long one only its own, and the heads of the passages inside of it. */
function linesToShow({ file, startLine, endLine, inner }: ScoredPassage): readonly NumberedLine[] {
  const all = numbered(file, startLine, endLine);
  const isLong = all.reduce((sum, { text }) => sum + text.length + 1, 0) > maxPassages.whole;
  const hidden = new Set<number>();
  if (isLong)
    for (const { startLine: first, endLine: last, definition } of inner)
      for (let line = first; line <= last; line++) if (line !== definition?.line) hidden.add(line);
  const shownLines: NumberedLine[] = [];
  let left: number = maxPassages.length;
  for (const one of all) {
    if (hidden.has(one.line)) continue;
    left -= one.text.length + 1;
    if (left < 0) break;
    shownLines.push(one);
  }
  return shownLines;
}

function numbered({ lines }: PassageFile, startLine: number, endLine: number): readonly NumberedLine[] {
  return lines.slice(startLine - 1, endLine).map((text, at) => ({
    line: startLine + at,
    text: text.length <= maxLineLength ? text : text.slice(0, maxLineLength).toWellFormed(),
  }));
}

/** Names as code writes them, of three letters and more. */
const nameInCode = /[\p{L}_$][\p{L}\p{N}_$]{2,}/gu;

/** A line that gives a value: a declaration of a field alone says nothing. */
const assigns = /[^=!<>]=(?![=>])/;

/** Returns the lines of the constants and the like of the file, outside of functions, that a passage names. */
function valuesOf(
  { file, startLine, endLine }: ScoredPassage,
  shownLines: readonly NumberedLine[],
  values: readonly RankedDefinition[],
): readonly NumberedLine[] {
  const named = new Set(shownLines.flatMap(({ text }) => text.match(nameInCode) ?? []));
  const found: NumberedLine[] = [];
  for (const { name, line } of values) {
    if (found.length === maxPassages.values) break;
    if (!named.has(name) || (line >= startLine && line <= endLine)) continue;
    const own = (file.lines[line - 1] ?? '').slice(0, maxLineLength).toWellFormed();
    if (assigns.test(own)) found.push({ line, text: own });
  }
  return found;
}

/** Returns the constants and the like of a file outside of functions, in line order. */
function outerValues(definitions: readonly RankedDefinition[]): readonly RankedDefinition[] {
  let end = 0;
  return definitions.filter((one) => {
    if (isFunction(one)) end = Math.max(end, one.endLine);
    return isValue(one) && one.line > end;
  });
}
