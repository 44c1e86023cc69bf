import type { RankRequest } from '../../port.ts';
import type { ReadFile, TermHit } from '../../spans/choose-spans.ts';
import { isSamePath, usableNames } from '../../usable-names.ts';
import type { FineDocument } from './fine-scores.ts';

const newlineByte = 0x0a;
/** Maximum number of lines per file that contain a name or text of the question. */
const maxExactLines = 64;

/** Returns what the spans of a ranked document are chosen by. */
export function readForSpans(
  { segment, document, path, text, found }: FineDocument,
  file: ReadFile['file'],
  request: RankRequest,
): ReadFile {
  const starts = lineStarts(text);
  const last = text.at(-1) === newlineByte ? text.length : text.length + 1;
  const lines = starts.map((start, line) => lineAt(text, start, starts[line + 1] ?? last));
  return {
    file,
    lines,
    definitions: segment.live.symbols.table.of(document).filter(({ line }) => line <= lines.length),
    hits: hitLines(found.hits, starts),
    exactLines: [...exactLines(lines, request), ...placesIn(path, request)],
  };
}

function hitLines(hits: readonly number[], starts: readonly number[]): TermHit[] {
  const found: TermHit[] = [];
  let line = 0;
  for (let index = 0; index < hits.length; index += 2) {
    while (line + 1 < starts.length && starts[line + 1]! <= hits[index]!) line++;
    found.push({ line: line + 1, term: hits[index + 1]! });
  }
  return found;
}

function exactLines(lines: readonly string[], { identifiers, phrases = [] }: RankRequest): number[] {
  const names = usableNames(identifiers);
  const texts = usableNames(phrases).map((phrase) => phrase.toLowerCase());
  if (names.length + texts.length === 0) return [];
  const found: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (found.length === maxExactLines) break;
    const lower = texts.length === 0 ? '' : line.toLowerCase();
    if (names.some((name) => line.includes(name)) || texts.some((text) => lower.includes(text)))
      found.push(at + 1);
  }
  return found;
}

function placesIn(path: string, { places = [] }: RankRequest): number[] {
  return places.filter((place) => isSamePath(path, place.path)).map(({ line }) => line);
}

function lineAt(text: Buffer, start: number, next: number): string {
  const end = next - 1;
  return text.toString('utf8', start, text[end - 1] === 0x0d && end > start ? end - 1 : end);
}

function lineStarts(text: Buffer): number[] {
  if (text.length === 0) return [];
  const starts = [0];
  for (
    let at = text.indexOf(newlineByte);
    at >= 0 && at + 1 < text.length;
    at = text.indexOf(newlineByte, at + 1)
  )
    starts.push(at + 1);
  return starts;
}
