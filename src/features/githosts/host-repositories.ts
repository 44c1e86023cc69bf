import type { HostRepositoryPage } from '../../backends/git-providers/port.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { withoutEnd } from '../../foundation/kernel/text/cut-text.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { GithostConnection } from './githost-connection.ts';
import { findGithost, requireGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openHost } from './open-host.ts';

export interface HostRepositoriesRequest {
  readonly query?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Lists the repositories that a connection opens. @throws NotFound; InvalidInput for a kind without a list */
export async function listHostRepositories(
  deps: GithostsDeps,
  scope: OrgScope,
  id: string,
  { query, cursor, limit }: HostRepositoriesRequest,
  signal: AbortSignal,
): Promise<HostRepositoryPage> {
  const { queries } = deps.database;
  const connection = await requireGithost(queries, scope, id);
  const { provider, host } = await openHost({ ...deps, queries }, requireReady(connection));
  if (!provider.can.list) {
    throw new InvalidInput(
      `${connection.name} cannot list repositories. Add one by its URL: "orgctx repo add URL --githost ${connection.id}".`,
    );
  }
  const request = {
    limit,
    ...(query === undefined ? {} : { query }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return host.listRepositories(request, signal);
}

/** A repository of a connection, as a source of code. */
export interface HostedSource {
  readonly connection: GithostConnection;
  readonly source: string;
  /** The host's own id; `undefined` for a kind without an API. */
  readonly hostRepositoryId: string | undefined;
  /** Default name in the organization. */
  readonly fullName: string | undefined;
}

/**
 * Resolves what a request names, a full name or a URL at the host of the connection, to the source of a repository.
 * @throws InvalidInput naming the field, also for connections of other organizations
 */
export async function findHostedSource(
  deps: GithostsDeps,
  scope: OrgScope,
  { githostConnectionId, source }: { readonly githostConnectionId: string; readonly source: string },
  signal: AbortSignal,
): Promise<HostedSource> {
  const { queries } = deps.database;
  const connection = await findGithost(queries, scope, githostConnectionId);
  if (connection === undefined) {
    throw invalidField('githostConnectionId', 'is not a Git-host connection of this organization');
  }
  const { provider, host, settings } = await openHost({ ...deps, queries }, requireReady(connection));
  const path = pathAtHost(source, settings.url);
  if (path === undefined) {
    throw invalidField('source', `must be a repository of ${settings.url}: its full name or its URL there`);
  }
  if (!provider.can.list) {
    const url = `${settings.url}/${path}`;
    return { connection, source: url, hostRepositoryId: undefined, fullName: undefined };
  }
  const found = await host.findRepository(path.replace(/\.git$/, ''), signal);
  if (found === undefined) throw notVisible(connection, path);
  return { connection, source: found.cloneUrl, hostRepositoryId: found.id, fullName: found.fullName };
}

/** @throws InvalidInput for an App that is not installed yet */
export function requireReady(connection: GithostConnection): GithostConnection {
  if (connection.state !== 'pending') return connection;
  throw new InvalidInput(
    `The App of ${connection.name} is not installed yet. Install it first: "orgctx githost status ${connection.id} --link" prints a link.`,
  );
}

/**
 * Returns the path of a repository below the web URL of the host; `undefined` if the text names another host. A text
 * without a scheme is a full name.
 */
export function pathAtHost(text: string, hostUrl: string): string | undefined {
  const given = text.trim();
  if (!given.includes('://')) {
    const isFullName = /^[\w.-]+(?:\/[\w.-]+)+$/.test(given) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(given);
    return isFullName ? given : undefined;
  }
  const [url, host] = [URL.parse(given), URL.parse(hostUrl)];
  if (url === null || host === null || url.origin !== host.origin) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  const base = host.pathname.endsWith('/') ? host.pathname : `${host.pathname}/`;
  if (!url.pathname.startsWith(base)) return undefined;
  const path = withoutEnd(url.pathname.slice(base.length), '/');
  return path === '' ? undefined : path;
}

/** Returns the full name of a repository at the host of a connection, by its clone URL. */
export function fullNameAt({ url }: Pick<GithostConnection, 'url'>, source: string): string {
  return (pathAtHost(source, url) ?? source).replace(/\.git$/, '');
}

function notVisible(connection: GithostConnection, path: string): InvalidInput {
  return invalidField(
    'source',
    `names no repository that ${connection.name} can read`,
    `${connection.name} cannot read ${path}. Check the name, and that the account of the connection has access to it.`,
  );
}
