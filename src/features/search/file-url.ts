import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { SearchableRepository } from '../repositories/repository-store.ts';

/** Lines of a file at a commit. */
export interface FileSpan {
  readonly path: string;
  readonly commit: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** Creates addresses of cited sources for people. */
export interface FileUrls {
  file(scope: OrgScope, repository: Cited, span: FileSpan): string;
  commit(scope: OrgScope, repository: Cited, commit: string): string;
  /** Returns the page of an entity of the knowledge graph. */
  entity(scope: OrgScope, key: string): string;
}

type Cited = Pick<SearchableRepository, 'id' | 'source' | 'sourceKind'>;

/** Returns a Git host's page of a file for the repository's page, the commit, the encoded path and the lines. */
type Page = (repository: string, commit: string, path: string, first: number, last: number) => string;

const github: Page = (repository, commit, path, first, last) =>
  `${repository}/blob/${commit}/${path}#L${first}-L${last}`;
const gitlab: Page = (repository, commit, path, first, last) =>
  `${repository}/-/blob/${commit}/${path}#L${first}-${last}`;
const bitbucket: Page = (repository, commit, path, first, last) =>
  `${repository}/src/${commit}/${path}#lines-${first}:${last}`;
const gitea: Page = (repository, commit, path, first, last) =>
  `${repository}/src/commit/${commit}/${path}#L${first}-L${last}`;

/** What follows the page of a repository in the address of a commit. */
const commitPages: ReadonlyMap<Page, string> = new Map([
  [github, 'commit'],
  [gitlab, '-/commit'],
  [bitbucket, 'commits'],
  [gitea, 'commit'],
]);

/** Page formats by host name or its first label: `gitlab.example.org` is treated as a GitLab server. */
const pages: Readonly<Record<string, Page>> = {
  'github.com': github,
  'gitlab.com': gitlab,
  'bitbucket.org': bitbucket,
  'codeberg.org': gitea,
  'gitea.com': gitea,
  github,
  gitlab,
  gitea,
  forgejo: gitea,
};

/**
 * Creates commit-pinned addresses. A file leads to its page under `appUrl` (contract section 5), which only members can
 * open; a commit to its Git host, if the source is https on a known host.
 */
export function fileUrls(appUrl: string): FileUrls {
  const entity: FileUrls['entity'] = ({ orgSlug }, key) =>
    `${appUrl}/app/${orgSlug}/entities/${encodeSegment(key)}`;
  return {
    file: (scope, repository, span) => filePage(appUrl, scope, repository, span),
    commit: (scope, repository, commit) => {
      const host = hostOf(repository);
      return host === undefined
        ? entity(scope, `commit:${repository.id}:${commit}`)
        : `${host.repository}/${commitPages.get(host.page)}/${commit}`;
    },
    entity,
  };
}

/** Returns the page of a file at its Git host; `undefined` if the host is not known. */
export function hostFilePage(
  repository: Cited,
  { path, commit, startLine, endLine }: FileSpan,
): string | undefined {
  const host = hostOf(repository);
  return host?.page(host.repository, commit, encodePath(path), startLine, endLine);
}

/** Returns the page of a repository at its host, and the format of its addresses, if the host is known. */
function hostOf({ source, sourceKind }: Cited): { repository: string; page: Page } | undefined {
  if (sourceKind !== 'https' || !URL.canParse(source)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(source);
  const label = hostname.split('.')[0] ?? '';
  const page = [hostname, label]
    .map((key) => (Object.hasOwn(pages, key) ? pages[key] : undefined))
    .find(Boolean);
  if (page === undefined || protocol !== 'https:') return undefined;
  const repository = `https://${host}${pathname.replace(/\/+$/u, '').replace(/\.git$/u, '')}`;
  return { repository, page };
}

function filePage(appUrl: string, { orgSlug }: OrgScope, { id }: Cited, span: FileSpan): string {
  const { path, commit, startLine, endLine } = span;
  const query = new URLSearchParams({ path, lines: `${startLine}-${endLine}`, commit });
  return `${appUrl}/app/${orgSlug}/repositories/${id}/file?${query.toString()}#L${startLine}`;
}

/** Returns the MCP resource address of the lines: `ctx://repo/<name>/file/<path>?ref=<commit>#L1-L9`. */
export function fileUri(repositoryName: string, span: FileSpan): string {
  const lines = `#L${span.startLine}-L${span.endLine}`;
  return `ctx://repo/${encodePath(repositoryName)}/file/${encodePath(span.path)}?ref=${span.commit}${lines}`;
}

/** Returns the MCP resource address of a commit. */
export function commitUri(repositoryName: string, commit: string): string {
  return `ctx://repo/${encodePath(repositoryName)}/commit/${commit}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

/** Encodes a segment. Lone surrogates have no UTF-8 form, so they become the replacement character. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}
