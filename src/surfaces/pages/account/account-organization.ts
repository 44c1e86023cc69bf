import type { VNode } from 'preact';
import type { Role } from '../../../features/identity/access/principal.ts';
import type { Repository } from '../../../features/repositories/repository.ts';
import { appPath } from '../app/app-path.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';

/** An organization of the person, as the account page shows it. */
export interface AccountOrganization {
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
  /** The oldest repositories of the organization. */
  readonly repositories: readonly Pick<Repository, 'name' | 'state' | 'indexedCommit' | 'error'>[];
  /** True if the organization has more repositories. */
  readonly hasMore: boolean;
}

/** The card of an organization with its repositories and their states. */
export function organizationCard({ slug, name, role, repositories, hasMore }: AccountOrganization): VNode {
  const label = foreignText(name, 100);
  return el(
    'div',
    { class: 'card' },
    el('h2', null, el('a', { href: appPath(slug) }, label === slug ? slug : `${label} (${slug})`)),
    el('p', null, `Your role: ${role}.`),
    repositories.length === 0
      ? el('p', null, 'No repositories yet.')
      : el('ul', { class: 'rows' }, ...repositories.map(repositoryRow)),
    hasMore && el('p', null, el('a', { href: appPath(slug, '/repositories') }, 'All repositories')),
  );
}

function repositoryRow(repository: AccountOrganization['repositories'][number]): VNode {
  return el(
    'li',
    null,
    el('strong', null, foreignText(repository.name, 200)),
    el('span', { class: 'quiet' }, stateInWords(repository)),
  );
}

function stateInWords({ state, indexedCommit, error }: AccountOrganization['repositories'][number]): string {
  const isSearchable = indexedCommit !== undefined;
  switch (state) {
    case 'indexed':
      return 'ready to search';
    case 'removing':
      return 'being removed';
    case 'failed': {
      const reason = error === undefined ? '' : `: ${foreignText(error.message, 300)}`;
      return `${isSearchable ? 'ready to search, but the last update failed' : 'failed'}${reason}`;
    }
    case 'queued':
    case 'cloning':
    case 'indexing':
      return isSearchable ? 'ready to search, being updated' : firstIndexing[state];
  }
}

const firstIndexing = {
  queued: 'waiting to be cloned',
  cloning: 'being cloned',
  indexing: 'being indexed',
} as const;
