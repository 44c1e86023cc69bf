import {
  fileClassOf,
  languageOf,
  type Query,
  type SearchRequest,
  type SearchResult,
} from '../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../backends/graph/port.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { innermostAt, maxSymbols } from '../../knowledge/queries/frame-symbols.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Source } from '../answer.ts';
import type { Inquiry } from '../inquiry.ts';
import { shownLines, sourcePlace } from './place-source.ts';

/** Maximum number of lines of a source. */
const max = { lines: 40 } as const;
/** The time on the clock is wide, because a search takes longer on a busy machine. */
const limits = {
  processorMs: 1500,
  deadlineMs: 20_000,
  limit: 20,
  matchesPerFile: 3,
  contextLines: 0,
} as const;

export interface TextSearch
  extends Partial<Pick<SearchRequest, 'limit' | 'matchesPerFile' | 'contextLines'>> {
  readonly repositories?: readonly SearchableRepository[];
  readonly text: string;
  /** Says how the text is matched. Default: `literal`. A `word` is matched with its case, in content only. */
  readonly form?: 'literal' | 'pattern' | 'word';
  readonly field: 'content' | 'path' | 'any';
  readonly caseSensitive?: boolean;
}

/** Searches for a text. Returns `undefined` if the engine is too busy: the answer is given without it. */
export async function searchText(
  inquiry: Inquiry,
  { text, form = 'literal', field, caseSensitive = true, ...rest }: TextSearch,
): Promise<SearchResult | undefined> {
  return searchFor(inquiry, { query: queryOf({ text, form, field, caseSensitive }), ...rest });
}

/** Searches for a query, as `searchText` does. */
export async function searchFor(
  { deps, scope, ranked, signal }: Inquiry,
  asked: { readonly query: Query } & Partial<SearchRequest>,
): Promise<SearchResult | undefined> {
  try {
    const request = { repositories: ranked.searched, ...limits, ...asked };
    return await deps.codeSearch.search(scope, request, signal);
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}

function queryOf({
  text,
  form,
  field,
  caseSensitive,
}: Required<Pick<TextSearch, 'text' | 'form' | 'field' | 'caseSensitive'>>): Query {
  if (form === 'word') return { kind: 'word', text };
  return form === 'pattern'
    ? { kind: 'regex', source: text, caseSensitive, field }
    : { kind: 'literal', text, caseSensitive, field };
}

/** Returns whether a file is code of the product: no test, document or generated file. */
export function isProduct({ path }: { readonly path: string }): boolean {
  return fileClassOf(path, languageOf(path)) === 'source';
}

/** Returns the definitions of a file. */
export async function definitionsIn(
  { view, scope }: Inquiry,
  repository: SearchableRepository,
  path: string,
): Promise<readonly GraphNode[]> {
  const from = [fileKey(repository.id, path)];
  const read = {
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
    perNode: maxSymbols,
    limit: maxSymbols,
  } as const;
  const { nodes } = await view.graph.neighbours(scope, { from, ...read });
  return nodes.filter(({ kind }) => kind === 'symbol');
}

/** Returns the definition around a line, whole or at most 40 lines of it, as a source. */
export async function lineSource(
  inquiry: Inquiry,
  { repository, path, line }: { repository: SearchableRepository; path: string; line: number },
  reason: string,
): Promise<Source | undefined> {
  const { deps, scope, signal } = inquiry;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  if (file?.content === undefined) return undefined;
  const lines = file.content.split(/\r?\n/u);
  const around = innermostAt(await definitionsIn(inquiry, repository, path), line);
  const first = Number(around?.props['startLine'] ?? line - max.lines / 4);
  const last = Math.min(lines.length, Number(around?.props['endLine'] ?? line + max.lines / 4));
  const isLong = last - first >= max.lines;
  const startLine = Math.max(1, isLong ? Math.max(first, line - max.lines / 2) : first);
  const endLine = isLong ? Math.min(last, startLine + max.lines - 1) : last;
  const name = around === undefined ? '' : `${around.name} in `;
  return {
    kind: 'code',
    ...sourcePlace(inquiry, repository, { path, commit: file.commit, startLine, endLine }),
    title: visibleLine(`${name}${repository.name}/${path}:${startLine}-${endLine}`),
    excerpt: shownLines(lines.slice(startLine - 1, endLine)),
    reasons: [visibleLine(reason)],
  };
}
