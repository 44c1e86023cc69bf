import {
  fileClassOf,
  type LineMatch,
  languageOf,
  type Query,
  type SearchRequest,
  type SearchResult,
} from '../../../backends/codesearch/port.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import type { Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { type CodeLine, codeText, placeSource, withSource } from './place-source.ts';

const maxLines = 40;
/** Limits of a search. Its time on the clock is wide, because it takes longer on a busy machine. */
const limits = {
  processorMs: 1500,
  deadlineMs: 20_000,
  limit: 20,
  matchesPerFile: 3,
  contextLines: 0,
} as const;

interface TextSearch extends Partial<SearchRequest> {
  readonly text: string;
  /** Says how the text is matched. Default: `literal`. A `word` is matched with its case. */
  readonly form?: 'literal' | 'pattern' | 'word';
  readonly caseSensitive?: boolean;
  /** A pattern of the paths that are searched. Default: all. */
  readonly paths?: string | undefined;
}

/** Searches for a query. Returns `undefined` if the engine is too busy: the answer is given without it. */
export async function searchFor(
  { deps, scope, ranked, signal }: Inquiry,
  asked: { readonly query: Query } & Partial<SearchRequest>,
): Promise<SearchResult | undefined> {
  const request = { repositories: ranked.searched, ...limits, ...asked };
  const found = deps.codeSearch.search(scope, request, signal);
  return await found.catch(orUndefined((error) => error instanceof Unavailable));
}

/** Returns whether a file is code of the product: no test, document or generated file. */
export function isProduct({ path }: { readonly path: string }): boolean {
  return fileClassOf(path, languageOf(path)) === 'source';
}

/** Returns the part of a line before its comment: empty if it is one. `#define` and `*place` are code of C. */
export function codeOf(line: string): string {
  return line
    .split(
      /^\s*(?:\/\/|#(?!\[|\s{0,8}(?:define|undef|if|elif|include)\b)|\*(?=[\s/*]|$)|\/\*|--|;)|\s(?:\/\/|#|\/\*)\s/u,
      1,
    )[0]!
    .trim();
}

/** A line that a search found, with those around it. */
export interface FoundLine extends CodeLine, Pick<LineMatch, 'before' | 'after'> {}

/** Returns the lines of files that a search found. */
function linesOf(inquiry: Inquiry, result: SearchResult | undefined): readonly FoundLine[] {
  return (result?.files ?? []).flatMap(({ repository: id, path, matches }) => {
    const repository = repositoryWith(inquiry, id);
    if (repository === undefined) return [];
    const lines = matches.filter(({ line }) => line > 0);
    return lines.map(({ line, text, before, after }) => ({ repository, path, line, text, before, after }));
  });
}

/**
 * Searches for the lines with a text. `hasEveryFile`: the search was neither refused nor cut short. `isWhole`: also no
 * file has more of them.
 */
export async function searchLines(
  inquiry: Inquiry,
  { text, form = 'literal', caseSensitive = true, paths, ...rest }: TextSearch,
): Promise<Record<'isWhole' | 'hasEveryFile', boolean> & { readonly lines: readonly FoundLine[] }> {
  const how = { caseSensitive, field: 'content' } as const;
  const line: Query =
    form === 'pattern' ? { kind: 'regex', source: text, ...how } : { kind: form, text, ...how };
  const path: readonly Query[] =
    paths === undefined ? [] : [{ kind: 'regex', source: paths, caseSensitive: true, field: 'path' }];
  const result = await searchFor(inquiry, { query: { kind: 'and', operands: [line, ...path] }, ...rest });
  const hasEveryFile =
    result !== undefined && result.incomplete === undefined && result.nextOffset === undefined;
  const isWhole = hasEveryFile && result.files.every(({ moreMatches }) => moreMatches === 0);
  return { lines: linesOf(inquiry, result), isWhole, hasEveryFile };
}

/** Returns the text of a file at a commit, by default the indexed one; `undefined` if it cannot be read. */
export async function readText(
  { deps, scope, signal }: Inquiry,
  { id: repository }: SearchableRepository,
  path: string,
  commit?: string,
): Promise<string | undefined> {
  return (await deps.sources.readFile(scope, given({ repository, path, commit }), signal))?.content;
}

/** States a line that reports a message, with the definition around it as the source. */
export async function reportingSentence(inquiry: Inquiry, line: CodeLine): Promise<Sentence> {
  return withSource(codeText(line), await lineSource(inquiry, line, { reason: 'reports the message' }));
}

interface LineSourceOptions {
  readonly reason: string;
  /** Maximum number of lines. Default: 40. */
  readonly max?: number;
  /** True if it begins with the comment above the definition. */
  readonly isCommented?: boolean;
}

/** Returns the definition around a line, or at most `max` lines of it, as a source. */
export async function lineSource(
  inquiry: Inquiry,
  { repository, path, line }: Pick<CodeLine, 'repository' | 'path' | 'line'>,
  { reason, max = maxLines, isCommented = false }: LineSourceOptions,
): Promise<Source | undefined> {
  const text = await readText(inquiry, repository, path);
  if (text === undefined) return undefined;
  const { view, scope } = inquiry;
  const at = { first: line, last: line };
  const { around } = await definitionsAt(view.graph, scope, fileKey(repository.id, path), at);
  const lines = text.split('\n');
  const begin = around?.line ?? line - Math.floor(max / 4);
  const first = isCommented ? commentStart(lines, begin) : begin;
  const last = Math.min(lines.length, around?.endLine ?? line + Math.floor(max / 4));
  const isLong = last - first >= max;
  const startLine = Math.max(1, isLong ? Math.max(first, line - Math.floor(max / 2)) : first);
  const endLine = isLong ? Math.min(last, startLine + max - 1) : last;
  return placeSource(inquiry, repository, {
    path,
    startLine,
    endLine,
    text: lines.slice(startLine - 1, endLine).join('\n'),
    reason,
    ...(around === undefined ? {} : { title: `in ${around.qualifiedName}` }),
  });
}

/** Returns the first line of the comment above a line, or that line. */
function commentStart(lines: readonly string[], line: number): number {
  const above = lines.slice(0, line - 1);
  return above.findLastIndex((text) => text.trim() === '' || codeOf(text) !== '') + 2;
}
