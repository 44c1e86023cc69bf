import type { ComponentChildren, VNode } from 'preact';
import type { Repository } from '../../../features/repositories/repository.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { button, hiddenFields } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name, nameText } from '../kit/html/name.ts';
import { pageHeading, section, table } from '../kit/html/parts.ts';
import { isBusy, repositoryState } from './repository-state.ts';

export interface DetailData {
  readonly repository: Repository;
  /** Name of the Git host whose credentials read the source. */
  readonly githost: string | undefined;
}

export function detailView(visit: Visit, { repository, githost }: DetailData): AppView {
  const path = `/repositories/${repository.id}`;
  return {
    title: nameText(repository.name),
    content: [
      pageHeading(name(repository.name), ...(visit.may('admin') ? changes(visit, path) : [])),
      el(
        'div',
        { id: 'state', ...(isBusy(repository) && { 'data-live': '3' }) },
        repository.indexedCommit !== undefined && reading(visit, repository),
        repository.error !== undefined && failure(repository.error.message),
        facts(visit, repository, githost),
      ),
      branches(repository),
      skipped(repository),
      leftOut(repository),
    ],
  };
}

function changes(visit: Visit, path: string): readonly ComponentChildren[] {
  const { action, csrf } = visit.form(`${path}/sync`);
  return [
    el('form', { method: 'post', action }, hiddenFields({ csrf }), button('Sync now')),
    el('a', { class: 'button', href: visit.path(`${path}/edit`) }, 'Change'),
    el('a', { class: 'button danger', href: visit.path(`${path}/remove`) }, 'Remove'),
  ];
}

function reading(visit: Visit, { id, name: repository }: Repository): VNode {
  const query = new URLSearchParams({ q: `repo:${repository} ` });
  return el(
    'p',
    { class: 'actions' },
    el('a', { class: 'button', href: visit.path(`/repositories/${id}/tree`) }, 'Browse files'),
    el('a', { class: 'button', href: visit.path(`/search?${query}`) }, 'Search in it'),
  );
}

function failure(message: string): VNode {
  return el(
    'div',
    { class: 'summary', role: 'alert' },
    el('h2', null, 'The last update failed'),
    el('p', null, foreignText(message, 2_000)),
  );
}

function facts(visit: Visit, repository: Repository, githost: string | undefined): VNode {
  const { source, branch, indexedAt, indexedCommit, graphCommit, files, bytes } = repository;
  const { filesWithoutDefinitions, checkedAt, nextCheckAt } = repository;
  const when = (time: number | undefined, never: string) =>
    time === undefined ? never : age(time, visit.now);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['State', [repositoryState(repository), ', ', age(repository.stateChangedAt, visit.now)]],
    ['Source', el('bdi', null, foreignText(source, 2_048))],
    ['Credentials', credentialsOf(repository, githost)],
    ['Branch', branch === undefined ? 'the default branch' : name(branch)],
    ['Searchable at', commitOf(indexedCommit)],
    ['Indexed', when(indexedAt, 'not yet')],
    ['Knowledge graph', commitOf(graphCommit)],
    ['Files', `${files.toLocaleString('en')} (${megabytes(bytes)})`],
    ...(filesWithoutDefinitions === 0
      ? []
      : [['Definitions', definitionsInWords(filesWithoutDefinitions)] as const]),
    ['Last check for commits', when(checkedAt, 'not yet')],
    ['Next check', when(nextCheckAt, 'not planned')],
  ];
  return section(
    'facts',
    'Details',
    el('dl', null, ...rows.flatMap(([term, value]) => [el('dt', null, term), el('dd', null, value)])),
  );
}

function definitionsInWords(left: number): string {
  return `being read, ${counted(left, 'file')} left; sym: does not find them yet`;
}

function credentialsOf({ sourceKind }: Repository, githost: string | undefined): ComponentChildren {
  if (githost !== undefined) return name(githost);
  return sourceKind === 'ssh' ? 'the SSH key of the organization' : 'none';
}

function commitOf(id: string | undefined): ComponentChildren {
  return id === undefined ? 'not yet' : el('code', null, id.slice(0, 12));
}

function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function branches({ indexedBranches, furtherBranches }: Repository): VNode | false {
  if (indexedBranches.length === 0 && furtherBranches.length === 0) return false;
  return section(
    'branches',
    'Branches',
    indexedBranches.length > 0 &&
      table({
        caption: 'Searchable branches',
        columns: ['Branch', 'Searchable at'],
        rows: indexedBranches.map((branch) => [
          name(branch.name),
          el('code', null, branch.commit.slice(0, 12)),
        ]),
      }),
    furtherBranches.length > 0 &&
      el(
        'p',
        { class: 'quiet after' },
        `Follows also: ${furtherBranches.map((each) => nameText(each)).join(', ')}`,
      ),
  );
}

function skipped(repository: Repository): VNode | false {
  const reasons = Object.entries(repository.skipped).filter(([, count]) => count > 0);
  if (reasons.length === 0) return false;
  return section(
    'skipped',
    'Left out',
    table({
      caption: 'Files and branches that are left out',
      columns: ['Reason', 'Number'],
      rows: reasons.map(([reason, count]) => [foreignText(reason, 200), count.toLocaleString('en')]),
    }),
  );
}

/** Lists the files of which the knowledge graph lacks symbols and imports, or owners. */
function leftOut({ graphLeftOut: { counts, examples } }: Repository): VNode | false {
  const reasons = Object.entries(counts);
  if (reasons.length === 0) return false;
  const paths = (reason: string) => examples.filter((each) => each.reason === reason).map(({ path }) => path);
  return section(
    'left-out-of-graph',
    'Left out of the knowledge graph',
    table({
      caption: 'Files whose symbols and imports, or owners, the knowledge graph does not have',
      columns: ['Reason', 'Number', 'Examples'],
      rows: reasons.map(([reason, count]) => [
        foreignText(reason, 200),
        count.toLocaleString('en'),
        el('bdi', null, foreignText(paths(reason).join(', '), 2_000)),
      ]),
    }),
  );
}
