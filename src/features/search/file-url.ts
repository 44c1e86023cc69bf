import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { SearchableRepository } from '../repositories/repository-store.ts';

/** Lines of a file at a commit. */
export interface FileSpan {
  readonly path: string;
  readonly commit: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** Where people can look at what is cited. */
export interface FileUrls {
  file(scope: OrgScope, repository: Cited, span: FileSpan): string;
}

type Cited = Pick<SearchableRepository, 'id' | 'source' | 'sourceKind'>;

/** A Git host's page of a file, from the repository's page, the commit, the encoded path and the lines. */
type Page = (repository: string, commit: string, path: string, first: number, last: number) => string;

const github: Page = (repository, commit, path, first, last) =>
  `${repository}/blob/${commit}/${path}#L${first}-L${last}`;
const gitlab: Page = (repository, commit, path, first, last) =>
  `${repository}/-/blob/${commit}/${path}#L${first}-${last}`;
const bitbucket: Page = (repository, commit, path, first, last) =>
  `${repository}/src/${commit}/${path}#lines-${first}:${last}`;
const gitea: Page = (repository, commit, path, first, last) =>
  `${repository}/src/commit/${commit}/${path}#L${first}-L${last}`;

/** By the first label of the host or the whole of it: `gitlab.example.org` is taken for what it calls itself. */
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
 * Commit-pinned addresses: the Git host's page where the source is https on a known host, else our own REST address
 * of the file under `baseUrl`.
 */
export function fileUrls(baseUrl: string): FileUrls {
  return {
    file: (scope, repository, span) =>
      hostPage(repository, span) ?? restAddress(baseUrl, scope, repository, span),
  };
}

function hostPage({ source, sourceKind }: Cited, span: FileSpan): string | undefined {
  if (sourceKind !== 'https' || !URL.canParse(source)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(source);
  const label = hostname.split('.')[0] ?? '';
  const page = [hostname, label]
    .map((key) => (Object.hasOwn(pages, key) ? pages[key] : undefined))
    .find(Boolean);
  if (page === undefined || protocol !== 'https:') return undefined;
  const repository = `https://${host}${pathname.replace(/\/+$/u, '').replace(/\.git$/u, '')}`;
  return page(repository, span.commit, encodePath(span.path), span.startLine, span.endLine);
}

function restAddress(baseUrl: string, scope: OrgScope, repository: Cited, span: FileSpan): string {
  const query = new URLSearchParams({
    path: span.path,
    lines: `${span.startLine}-${span.endLine}`,
    commit: span.commit,
  });
  return `${baseUrl}/${scope.orgSlug}/api/v1/repositories/${repository.id}/file?${query.toString()}`;
}

/** `ctx://repo/<name>/file/<path>?ref=<commit>#L1-L9`: the address of the lines as an MCP resource. */
export function fileUri(repositoryName: string, span: FileSpan): string {
  const lines = `#L${span.startLine}-L${span.endLine}`;
  return `ctx://repo/${encodePath(repositoryName)}/file/${encodePath(span.path)}?ref=${span.commit}${lines}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

/** Lone surrogates have no UTF-8; they become the replacement character instead of an exception. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}
