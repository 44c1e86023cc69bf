import { type HostPages, pagesAt } from '../../backends/git-providers/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { withoutEnd } from '../../foundation/kernel/text/cut-text.ts';
import { encodePath, encodeSegment } from '../../foundation/kernel/text/encode-path.ts';
import { printFileUri } from '../../foundation/kernel/wire/resource-uri.ts';
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
        : host.pages.commit(host.repository, commit);
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
  return host?.pages.file(host.repository, commit, encodePath(path), startLine, endLine);
}

/** Returns the page of a repository at its host, and the addresses of its pages, if the host is known. */
function hostOf({ source, sourceKind }: Cited): { repository: string; pages: HostPages } | undefined {
  if (sourceKind !== 'https' || !URL.canParse(source)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(source);
  const pages = pagesAt(hostname);
  if (pages === undefined || protocol !== 'https:') return undefined;
  const repository = `https://${host}${withoutEnd(pathname, '/').replace(/\.git$/u, '')}`;
  return { repository, pages };
}

function filePage(appUrl: string, { orgSlug }: OrgScope, { id }: Cited, span: FileSpan): string {
  const { path, commit, startLine, endLine } = span;
  const query = new URLSearchParams({ path, lines: `${startLine}-${endLine}`, commit });
  return `${appUrl}/app/${orgSlug}/repositories/${id}/file?${query.toString()}#L${startLine}`;
}

/** Returns the MCP resource address of the lines. */
export function fileUri(repository: string, { path, commit, startLine, endLine }: FileSpan): string {
  return printFileUri({ repository, path, commit, lines: { first: startLine, last: endLine } });
}
