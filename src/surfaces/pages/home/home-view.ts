import type { ComponentChildren, VNode } from 'preact';
import { type Connection, stateLabels } from '../../../features/connectors/connections/connection.ts';
import type { Repository } from '../../../features/repositories/repository.ts';
import type { RepositorySummary } from '../../../features/repositories/summarize-repositories.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { connectionState } from '../connections/connection-parts.ts';
import { button, textField } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name } from '../kit/html/name.ts';
import { pageHeading, section, table } from '../kit/html/parts.ts';

export interface HomeData {
  readonly summary: RepositorySummary;
  /** The oldest failed repositories. */
  readonly failed: readonly Pick<Repository, 'id' | 'name' | 'error'>[];
  readonly connections: readonly Connection[];
  /** True if the person allowed a client to act for them. */
  readonly hasClient: boolean;
}

export function homeView(visit: Visit, data: HomeData): AppView {
  const steps = nextSteps(visit, data);
  const attention = needsAttention(visit, data);
  return {
    title: 'Home',
    content: [
      pageHeading(
        name(visit.scope.orgSlug),
        // Without a client it is among the next steps.
        ...(data.hasClient ? [el('a', { href: visit.path('/connect') }, 'Connect a client')] : []),
      ),
      data.summary.searchable > 0 && searchForm(visit),
      steps.length > 0 &&
        section(
          'steps',
          'Next steps',
          el('ol', { class: 'steps' }, ...steps.map((step) => el('li', null, step))),
        ),
      section(
        'attention',
        'Needs attention',
        attention.length === 0
          ? el('p', null, 'Nothing. Everything that is connected works.')
          : el('ul', { class: 'rows notes' }, ...attention.map((item) => el('li', null, item))),
      ),
      repositoriesCard(visit, data.summary),
      connectionsCard(visit, data.connections),
    ],
  };
}

function searchForm(visit: Visit): VNode {
  return el(
    'form',
    { method: 'get', action: visit.path('/search'), class: 'filters', role: 'search' },
    textField({ name: 'q', label: 'Search the code', type: 'search', autocomplete: 'off' }),
    button('Search'),
  );
}

/** Names what is missing between an empty organization and an answer. */
function nextSteps(visit: Visit, { summary, connections, hasClient }: HomeData): readonly VNode[] {
  const admin = visit.may('admin');
  const link = (below: string, text: string) => el('a', { href: visit.path(below) }, text);
  const steps: VNode[] = [];
  if (summary.total === 0) {
    steps.push(
      admin
        ? el('p', null, link('/repositories/add', 'Add a repository'), ', so that its code can be searched.')
        : el('p', null, 'Ask an administrator to add a repository. There is none yet.'),
    );
  }
  if (!hasClient) {
    steps.push(
      el('p', null, link('/connect', 'Connect a client'), ', such as an editor, to ask it about the code.'),
    );
  }
  if (connections.length === 0 && admin) {
    steps.push(
      el(
        'p',
        null,
        link('/connections', 'Add a connection'),
        ', so that answers know issues and incidents, too.',
      ),
    );
  }
  return steps;
}

function needsAttention(
  visit: Visit,
  { summary, failed, connections }: HomeData,
): readonly ComponentChildren[] {
  const moreFailed = (summary.byState.failed ?? 0) - failed.length;
  return [
    ...failed.map(({ id, name: repository, error }) => [
      el('a', { href: visit.path(`/repositories/${id}`) }, name(repository)),
      el('span', { class: 'quiet' }, foreignText(error?.message ?? 'The last update failed.', 300)),
    ]),
    ...(moreFailed > 0
      ? [
          el(
            'a',
            { href: visit.path('/repositories?state=failed') },
            `${moreFailed} more failed repositories`,
          ),
        ]
      : []),
    ...connections
      .filter(({ state }) => state !== 'connected')
      .map((connection) => [
        el('a', { href: visit.path(`/connections/${connection.id}`) }, name(connection.name)),
        el(
          'span',
          { class: 'quiet' },
          foreignText(connection.error?.message ?? stateLabels[connection.state], 300),
        ),
      ]),
  ];
}

function repositoriesCard(
  visit: Visit,
  { total, byState, searchable, lastIndexedAt }: RepositorySummary,
): VNode {
  const updating = (byState.queued ?? 0) + (byState.cloning ?? 0) + (byState.indexing ?? 0);
  return section(
    'repositories',
    el('a', { href: visit.path('/repositories') }, 'Repositories'),
    el(
      'dl',
      null,
      el('dt', null, 'Searchable'),
      el('dd', null, `${searchable} of ${total}`),
      el('dt', null, 'Being updated'),
      el('dd', null, String(updating)),
      el('dt', null, 'Last indexed'),
      el('dd', null, lastIndexedAt === undefined ? 'never' : age(lastIndexedAt, visit.now)),
    ),
  );
}

function connectionsCard(visit: Visit, connections: readonly Connection[]): VNode {
  return section(
    'connections',
    el('a', { href: visit.path('/connections') }, 'Connections'),
    connections.length === 0
      ? el('p', null, 'None. Issues and incidents can be mirrored from their providers.')
      : table({
          caption: 'Connections',
          columns: ['Name', 'State', 'Last sync'],
          rows: connections.map(({ id, name: connection, state, lastSyncAt }) => [
            el('a', { href: visit.path(`/connections/${id}`) }, name(connection)),
            connectionState(state),
            lastSyncAt === undefined ? 'never' : age(lastSyncAt, visit.now),
          ]),
        }),
  );
}
