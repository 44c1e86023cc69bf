import type { DefinedSymbol, FileMatch, LineMatch, SymbolKind } from '../port.ts';
import { maxContextLineLength, maxLineLength, symbolKinds } from '../port.ts';
import { isFoundByPath } from './first-lines.ts';
import type { ZoektFile, ZoektLine } from './zoekt-client.ts';

/**
 * Returns the matching lines of a file in order, at most `max` of them after the first `skip`. A file that matched by
 * path only has one match of length 0 in its first line.
 */
export function lineMatches(
  file: ZoektFile,
  { skip, max }: { readonly skip: number; readonly max: number },
  firstLine: ZoektLine | undefined,
): Pick<FileMatch, 'matches' | 'moreMatches'> {
  const lines = (file.LineMatches ?? []).filter((line) => !line.FileName);
  if (lines.length === 0)
    return { matches: isFoundByPath(file) ? [pathMatch(firstLine)] : [], moreMatches: 0 };
  const inOrder = lines.toSorted((a, b) => a.LineNumber - b.LineNumber);
  return {
    matches: inOrder.slice(skip, skip + max).map(lineMatch),
    moreMatches: Math.max(0, inOrder.length - skip - max),
  };
}

/** Returns the numbers of the matching lines of a file, in ascending order. */
export function lineNumbers({ LineMatches }: ZoektFile): readonly number[] {
  const lines = (LineMatches ?? []).filter((line) => !line.FileName);
  return lines.map(({ LineNumber }) => LineNumber).toSorted((a, b) => a - b);
}

function pathMatch(firstLine: ZoektLine | undefined): LineMatch {
  return { line: 1, ...truncateLine(firstLine?.Line ?? Buffer.alloc(0), 0, 0), before: [], after: [] };
}

function lineMatch(line: ZoektLine): LineMatch {
  const [first] = (line.LineFragments ?? []).toSorted((a, b) => a.LineOffset - b.LineOffset);
  const offset = first?.LineOffset ?? 0;
  const symbol = definedSymbol(line);
  return {
    line: line.LineNumber,
    ...truncateLine(line.Line, offset, first?.MatchLength ?? 0),
    before: contextLines(line.Before),
    after: contextLines(line.After),
    ...(symbol === undefined ? {} : { symbol }),
  };
}

/** Converts byte offsets to UTF-16 code units, and truncates the line to 2,000 code units around the match. */
function truncateLine(
  bytes: Buffer,
  offset: number,
  length: number,
): Pick<LineMatch, 'column' | 'length' | 'text' | 'textOffset'> {
  const text = withoutTerminator(bytes.toString('utf8'));
  const start = bytes.toString('utf8', 0, offset).length;
  const end = Math.min(text.length, start + bytes.toString('utf8', offset, offset + length).length);
  const slack = Math.max(0, maxLineLength - (end - start));
  const from = text.length <= maxLineLength ? 0 : Math.max(0, start - (slack >> 1));
  const to = Math.min(text.length, from + maxLineLength);
  return {
    column: Math.min(start, to) + 1,
    length: Math.max(0, Math.min(end, to) - start),
    text: text.slice(from, to).toWellFormed(),
    textOffset: from,
  };
}

function contextLines(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  if (text === '') return [];
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return lines
    .split('\n')
    .map((line) => withoutTerminator(line).slice(0, maxContextLineLength).toWellFormed());
}

function withoutTerminator(line: string): string {
  return line.replace(/\r?\n?$/, '');
}

function definedSymbol({ LineFragments }: ZoektLine): DefinedSymbol | undefined {
  const found = LineFragments?.find(({ SymbolInfo }) => SymbolInfo != null)?.SymbolInfo;
  return found == null ? undefined : { name: found.Sym, kind: kindOf(found.Kind) };
}

/** Maps a kind of universal-ctags. */
function kindOf(kind: string): SymbolKind {
  const word = kind.toLowerCase();
  return symbolKinds.find((known) => known === word) ?? otherWords.get(word) ?? 'other';
}

const otherWords: ReadonlyMap<string, SymbolKind> = new Map([
  ['func', 'function'],
  ['subroutine', 'function'],
  ['procedure', 'function'],
  ['methodspec', 'method'],
  ['singletonmethod', 'method'],
  ['constructor', 'method'],
  ['trait', 'interface'],
  ['protocol', 'interface'],
  ['enumerator', 'constant'],
  ['enumconstant', 'constant'],
  ['const', 'constant'],
  ['var', 'variable'],
  ['member', 'field'],
  ['property', 'field'],
  ['typedef', 'type'],
  ['alias', 'type'],
  ['talias', 'type'],
  ['namespace', 'module'],
  ['package', 'module'],
]);
