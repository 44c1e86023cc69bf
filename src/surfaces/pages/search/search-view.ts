import type { ComponentChildren, VNode } from 'preact';
import type { CodeSearchItem, CodeSearchPage } from '../../../features/search/search-code.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { fileAddress } from '../files/file-address.ts';
import { button, fieldNotes } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name } from '../kit/html/name.ts';
import { empty, nextPage, pageHeading } from '../kit/html/parts.ts';
import { type Facet, facetsOf, facetTitle } from './facets.ts';
import { lineParts } from './line-parts.ts';
import { searchHelp } from './search-help.ts';

export interface SearchData {
  readonly query: string;
  /** `undefined` without a query or with a wrong one. */
  readonly page?: CodeSearchPage | undefined;
  /** The error of the query. */
  readonly error?: string | undefined;
}

export function searchView(visit: Visit, data: SearchData): AppView {
  const { query, page, error } = data;
  const entities = query === '' ? '/entities' : `/entities?${new URLSearchParams({ q: query })}`;
  return {
    title: query === '' ? 'Search' : `${foreignText(query, 80)} · Search`,
    status: error === undefined ? 200 : 400,
    content: [
      pageHeading(
        'Search',
        el('a', { href: visit.path(entities) }, 'Find an issue, incident or symbol by name'),
      ),
      queryForm(visit, data),
      searchHelp(page === undefined && error === undefined),
      page !== undefined && results(visit, query, page),
    ],
  };
}

function queryForm(visit: Visit, { query, error }: SearchData): VNode {
  const field = { name: 'q', label: 'Search the code', error };
  return el(
    'form',
    { method: 'get', action: visit.path('/search'), class: 'filters', role: 'search' },
    el(
      'div',
      { class: 'field' },
      el('label', { for: 'q' }, field.label),
      ...fieldNotes(field),
      el('input', {
        type: 'search',
        id: 'q',
        name: 'q',
        value: query,
        maxlength: 1024,
        autofocus: query === '' || error !== undefined,
        autocomplete: 'off',
        autocapitalize: 'none',
        spellcheck: false,
        'aria-invalid': error === undefined ? undefined : 'true',
        'aria-describedby': error === undefined ? undefined : 'q-error',
      }),
    ),
    button('Search', { primary: true }),
  );
}

function results(visit: Visit, query: string, page: CodeSearchPage): VNode {
  const { items, stats, nextCursor } = page;
  const next = nextCursor === null ? undefined : searchPath(visit, query, nextCursor);
  return el(
    'section',
    { 'aria-labelledby': 'found' },
    el(
      'h2',
      { id: 'found' },
      `${stats.matched.toLocaleString('en')} matching ${stats.matched === 1 ? 'file' : 'files'}`,
    ),
    incomplete(page),
    items.length === 0
      ? empty(
          el('p', null, 'Nothing matches. Try fewer or shorter words, or leave out a filter.'),
          el(
            'p',
            null,
            el('a', { href: visit.path('/repositories') }, 'See which repositories are searchable'),
          ),
        )
      : [...narrowing(visit, query, page), ...items.map((item) => hit(visit, item))],
    nextPage(next),
  );
}

function incomplete({ incomplete: reason }: CodeSearchPage): VNode | undefined {
  if (reason === undefined) return undefined;
  const texts = {
    deadline: 'The search ended after 2 seconds, so there may be more matches. Narrow it down with a filter.',
    limit: 'There are more matches than can be listed. Narrow the search down with a filter.',
    damaged: 'An index is being rebuilt, so matches may be missing. Search again in a few minutes.',
    definitions:
      'Definitions are still being read, so sym: may miss some. Search again in a few minutes, or without sym:.',
  } as const;
  return el('p', { class: 'notice' }, texts[reason]);
}

function narrowing(
  visit: Visit,
  query: string,
  { items, stats }: CodeSearchPage,
): readonly ComponentChildren[] {
  const { repositories, languages } = facetsOf(query, items);
  const title = (label: string) => facetTitle(label, items.length, stats.matched);
  return [
    facetLinks(visit, title('Repositories'), repositories),
    facetLinks(visit, title('Languages'), languages),
  ];
}

function facetLinks(visit: Visit, title: string, facets: readonly Facet[]): VNode | undefined {
  if (facets.length === 0) return undefined;
  const links = facets.map((facet) =>
    el(
      'li',
      null,
      el('a', { href: searchPath(visit, facet.query) }, name(facet.label, 100)),
      ` ${facet.files} ${facet.files === 1 ? 'file' : 'files'}`,
    ),
  );
  return el('div', { class: 'facet' }, el('h3', null, title), el('ul', { class: 'names' }, ...links));
}

function searchPath(visit: Visit, query: string, cursor?: string): string {
  return visit.path(`/search?${new URLSearchParams({ q: query, ...(cursor !== undefined && { cursor }) })}`);
}

function hit(visit: Visit, item: CodeSearchItem): VNode {
  const { repository, repositoryId, path, commit, matches, moreMatches, language } = item;
  const address = (line?: number) =>
    fileAddress(visit, { repositoryId, path, commit, lines: line === undefined ? undefined : String(line) });
  const inText = matches.filter(({ length }) => length > 0);
  return el(
    'article',
    { class: 'card hit' },
    el('h3', null, el('a', { href: address(inText[0]?.line) }, name(path, 300))),
    el('p', { class: 'quiet' }, name(repository), ` · ${language}`),
    inText.length > 0 &&
      el(
        'ol',
        { class: 'lines' },
        ...inText.map((match) => {
          const { before, match: found, after } = lineParts(match);
          return el(
            'li',
            null,
            el('a', { href: address(match.line), 'aria-label': `Line ${match.line}` }, match.line),
            el('code', null, before, el('mark', null, found), after),
          );
        }),
      ),
    moreMatches > 0 && el('p', { class: 'quiet' }, `${moreMatches.toLocaleString('en')} more matching lines`),
  );
}
