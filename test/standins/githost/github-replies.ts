import type { components } from '@octokit/openapi-types';
import type { Comment, HostedInstallation, HostedRepository, Model, Pull } from './model.ts';

/** A part of a reply: names and types of its fields are those of the vendor's OpenAPI document. */
export type Reply<Name extends keyof components['schemas']> = Partial<components['schemas'][Name]>;

function simpleUser(model: Model, login: string): Reply<'simple-user'> {
  return { id: model.accounts.find((one) => one.login === login)?.id ?? 0, login, type: 'Organization' };
}

export function repositoryReply(model: Model, repository: HostedRepository): object {
  const { id, fullName, defaultBranch, archived } = repository;
  const [owner = '', name = ''] = fullName.split('/');
  return {
    id,
    name,
    full_name: fullName,
    owner: simpleUser(model, owner) as components['schemas']['simple-user'],
    private: repository.private,
    archived,
    default_branch: defaultBranch,
    size: repository.isEmpty() ? 0 : 12,
    // An attacker's address: a client that sends credentials there has lost them.
    clone_url: `https://elsewhere.example.com/${fullName}.git`,
    html_url: `https://elsewhere.example.com/${fullName}`,
    // For Apps the vendor shows false here, whatever the installation grants.
    permissions: { admin: false, push: false, pull: false },
  } satisfies Reply<'repository'>;
}

export function installationReply({ id, account, permissions, ...installation }: HostedInstallation): object {
  return {
    id,
    account: {
      id: account.id,
      login: account.login,
      type: 'Organization',
    } as components['schemas']['simple-user'],
    permissions,
    repository_selection: installation.selected === undefined ? 'all' : 'selected',
    updated_at: new Date(installation.updatedAt).toISOString(),
    suspended_at: installation.suspended ? '2026-11-01T00:00:00Z' : null,
  } satisfies Reply<'installation'>;
}

export function hookReply({ id, url, events, active }: HostedRepository['hooks'][number]): Reply<'hook'> {
  return {
    type: 'Repository',
    id,
    name: 'web',
    active,
    events: [...events],
    config: { url, content_type: 'json', insecure_ssl: '0', secret: '********' },
  };
}

export function pullReply(pull: Pull): object {
  const { number, title, body, state, mergedAt, mergeCommit, headCommit } = pull;
  return {
    number,
    title,
    body,
    state,
    html_url: `https://elsewhere.example.com/pull/${number}`,
    merged_at: mergedAt ?? null,
    // Of an open pull request the vendor shows the commit of a test merge.
    merge_commit_sha: mergeCommit ?? 'e'.repeat(40),
    head: { ref: pull.head, sha: headCommit } as components['schemas']['pull-request-simple']['head'],
    base: { ref: pull.base } as components['schemas']['pull-request-simple']['base'],
  } satisfies Reply<'pull-request-simple'>;
}

export function commentReply({ id, author, body }: Comment): object {
  const app = author.kind === 'app' ? { id: author.id } : null;
  return {
    id,
    body,
    performed_via_github_app: app as components['schemas']['nullable-integration'],
  } satisfies Reply<'issue-comment'>;
}
