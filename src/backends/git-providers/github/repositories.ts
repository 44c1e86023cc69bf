import { type ApiAnswer, apiPath, unless } from '../host-api.ts';
import {
  type GitHost,
  GitHostError,
  type HostRepository,
  type HostRepositoryKey,
  type HostRepositoryPage,
  type ListRepositories,
} from '../port.ts';
import { decodeFile } from '../read-content.ts';
import { type Connection, pageSize } from './connection.ts';
import { findInstallation } from './installations.ts';
import {
  contentShape,
  type InstallationAnswer,
  type RepositoryAnswer,
  refShape,
  repositoryPageShape,
  repositoryShape,
} from './shapes.ts';

/** The pages that one call reads while it looks for a name. */
const maxPages = 10;

export function openRepositories(
  connection: Connection,
): Pick<GitHost, 'listRepositories' | 'findRepository' | 'headOf' | 'readFile'> {
  return {
    listRepositories: (request, signal) => listRepositories(connection, request, signal),
    findRepository: (wanted, signal) => findRepository(connection, wanted, signal),
    async headOf(repository, branch, signal) {
      const path = `${await connection.repositoryPath(repository, signal)}${apiPath('git/ref/heads', branch)}`;
      const subject = `the branch ${branch} of ${repository.fullName}`;
      // An empty repository is a conflict.
      const call = connection.call({ path, needs: 'contents: read', subject }, refShape, signal);
      const found = await unless(['not_found', 'conflict'], call);
      // Distinguishes a missing branch from a repository that is gone.
      if (found === undefined) await connection.readRepository(repository, signal);
      return found?.body.object.sha;
    },
    async readFile(repository, { path: file, commit }, signal) {
      const path = `${await connection.repositoryPath(repository, signal)}${apiPath('contents', file)}`;
      const subject = `the file ${file} of ${repository.fullName}`;
      const call = { path, query: { ref: commit }, needs: 'contents: read', subject };
      const found = await unless(['not_found'], connection.call(call, contentShape, signal));
      if (found === undefined) await connection.readRepository(repository, signal);
      return decodeFile(connection.host, subject, found?.body);
    },
  };
}

async function findRepository(
  connection: Connection,
  wanted: string | HostRepositoryKey,
  signal: AbortSignal,
): Promise<HostRepository | undefined> {
  const found = await unless(['not_found'], answerOf(connection, wanted, signal));
  if (found === undefined) return undefined;
  const installation = await findInstallation(connection, connection.installationId(), signal);
  const record = recordOf(connection, found, installation);
  return { ...record, empty: record.empty && (await isEmpty(connection, record, signal)) };
}

async function answerOf(
  connection: Connection,
  wanted: string | HostRepositoryKey,
  signal: AbortSignal,
): Promise<RepositoryAnswer> {
  if (typeof wanted !== 'string') return connection.readRepository(wanted, signal);
  const call = {
    path: apiPath('repos', wanted),
    needs: 'metadata: read',
    subject: `the repository ${wanted}`,
  };
  return (await connection.call(call, repositoryShape, signal)).body;
}

/** The size in a record is rounded and late; asking for a branch tells. */
async function isEmpty(
  connection: Connection,
  repository: HostRepository,
  signal: AbortSignal,
): Promise<boolean> {
  const path = `${await connection.repositoryPath(repository, signal)}${apiPath('git/ref/heads', repository.defaultBranch)}`;
  const call = { path, needs: 'contents: read', subject: `the branches of ${repository.fullName}` };
  try {
    await connection.call(call, refShape, signal);
    return false;
  } catch (error) {
    if (error instanceof GitHostError && error.reason === 'conflict') return true;
    if (error instanceof GitHostError && error.reason === 'not_found') return false;
    throw error;
  }
}

/** The place in the list at which a page starts: GitHub's page, and the item on it. */
interface Place {
  readonly page: number;
  readonly item: number;
}

/** Lists the repositories of the installation. GitHub cannot search them, so a query reads page after page. */
async function listRepositories(
  connection: Connection,
  { query = '', cursor, limit }: ListRepositories,
  signal: AbortSignal,
): Promise<HostRepositoryPage> {
  const installation = await findInstallation(connection, connection.installationId(), signal);
  const wanted = query.toLowerCase();
  const items: HostRepository[] = [];
  let { page, item } = placeOf(connection, cursor);
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { body, hasNextPage } = await readPage(connection, page, signal);
    for (const [index, repository] of body.repositories.entries()) {
      if (index < item || !repository.full_name.toLowerCase().includes(wanted)) continue;
      if (items.length === limit) return { items, nextCursor: `${page}.${index}` };
      items.push(recordOf(connection, repository, installation));
    }
    if (!hasNextPage) return { items, nextCursor: undefined };
    page += 1;
    item = 0;
  }
  return { items, nextCursor: `${page}.0` };
}

function readPage(
  connection: Connection,
  page: number,
  signal: AbortSignal,
): Promise<ApiAnswer<{ repositories: RepositoryAnswer[] }>> {
  const call = {
    path: apiPath('installation', 'repositories'),
    query: { per_page: pageSize, page },
    needs: 'metadata: read',
    subject: 'the repositories of the installation',
  };
  return connection.call(call, repositoryPageShape, signal);
}

function placeOf({ host }: Connection, cursor = '1.0'): Place {
  const [, page, item] = /^(\d{1,6})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (page === undefined || item === undefined) {
    throw new GitHostError(host, 'invalid', 'The cursor is not one of this list. Start again without it.');
  }
  return { page: Number(page), item: Number(item) };
}

function recordOf(
  { settings }: Connection,
  answer: RepositoryAnswer,
  installation: InstallationAnswer | undefined,
): HostRepository {
  const url = `${settings.url}${apiPath(answer.full_name)}`;
  // The permissions in a repository's record are those of a user; an App has the ones of its installation.
  const { contents, pull_requests: pullRequests } = installation?.permissions ?? {};
  return {
    id: String(answer.id),
    fullName: answer.full_name,
    cloneUrl: `${url}.git`,
    url,
    defaultBranch: answer.default_branch,
    private: answer.private,
    empty: answer.size === 0,
    canWrite: contents === 'write' && pullRequests === 'write' && !answer.archived,
    archived: answer.archived,
  };
}
