import type { VNode } from 'preact';
import type { Repository, RepositoryState } from '../../../features/repositories/repository.ts';
import type { RepositorySummary } from '../../../features/repositories/summarize-repositories.ts';
import type { Page } from '../../../foundation/kernel/wire/page.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { selectField } from '../kit/forms/choice-fields.ts';
import { button, textField } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name } from '../kit/html/name.ts';
import { empty, nextPage, pageHeading, table } from '../kit/html/parts.ts';
import { isBusy, repositoryError, repositoryState } from './repository-state.ts';

export const repositoryStates = ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'] as const;

export interface ListFilter {
  readonly name: string | undefined;
  readonly state: RepositoryState | undefined;
}

export interface ListData {
  readonly page: Page<Repository>;
  readonly summary: RepositorySummary;
  readonly filter: ListFilter;
}

/** Seconds between two loads of a list in which something changes. */
const liveSeconds = '4';

export function listView(visit: Visit, data: ListData): AppView {
  const add = el('a', { class: 'button primary', href: visit.path('/repositories/add') }, 'Add a repository');
  return {
    title: 'Repositories',
    content: [
      pageHeading('Repositories', visit.may('admin') && add),
      data.summary.total === 0 ? noRepositories(visit) : listed(visit, data),
    ],
  };
}

function noRepositories(visit: Visit): VNode {
  return empty(
    el('p', null, 'There is no repository yet. Its code can be searched and asked about once it is indexed.'),
    visit.may('admin')
      ? el('p', null, el('a', { href: visit.path('/repositories/add') }, 'Add the first one.'))
      : el('p', null, 'Ask an administrator of the organization to add one.'),
  );
}

function listed(visit: Visit, { page, summary, filter }: ListData): VNode {
  const busy = page.items.some(isBusy);
  return el(
    'div',
    { class: 'card' },
    filterForm(visit, filter),
    el('p', { class: 'quiet' }, countsInWords(summary)),
    el(
      'div',
      { id: 'list', ...(busy && { 'data-live': liveSeconds }) },
      page.items.length === 0
        ? empty(el('p', null, 'No repository matches. Change or clear the filter.'))
        : table({
            caption: 'Repositories',
            columns: ['Name', 'State', 'Indexed', 'Files'],
            rows: page.items.map((repository) => row(visit, repository)),
          }),
    ),
    nextPage(nextHref(visit, page, filter)),
  );
}

function row(visit: Visit, repository: Repository) {
  const { id, indexedAt, indexedCommit, files } = repository;
  return [
    el('a', { href: visit.path(`/repositories/${id}`) }, name(repository.name)),
    [repositoryState(repository), repositoryError(repository)],
    indexedAt === undefined || indexedCommit === undefined
      ? 'not yet'
      : [age(indexedAt, visit.now), ' at ', el('code', null, indexedCommit.slice(0, 10))],
    files.toLocaleString('en'),
  ];
}

function filterForm(visit: Visit, filter: ListFilter): VNode {
  return el(
    'form',
    { method: 'get', action: visit.path('/repositories'), class: 'filters', role: 'search' },
    textField({
      name: 'name',
      label: 'Name contains',
      type: 'search',
      autocomplete: 'off',
      optional: true,
      value: filter.name,
    }),
    selectField({
      name: 'state',
      label: 'State',
      value: filter.state ?? '',
      options: [
        { value: '', label: 'any' },
        ...repositoryStates.map((state) => ({ value: state, label: state })),
      ],
    }),
    button('Filter'),
  );
}

function countsInWords({ total, byState, searchable }: RepositorySummary): string {
  const failed = byState.failed ?? 0;
  const counts = [`${total.toLocaleString('en')} in total`, `${searchable.toLocaleString('en')} searchable`];
  return `${[...counts, ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : [])].join(', ')}.`;
}

function nextHref(visit: Visit, { nextCursor }: Page<Repository>, filter: ListFilter): string | undefined {
  if (nextCursor === null) return undefined;
  const query = new URLSearchParams({
    ...(filter.name !== undefined && { name: filter.name }),
    ...(filter.state !== undefined && { state: filter.state }),
    cursor: nextCursor,
  });
  return visit.path(`/repositories?${query}`);
}
