import { apiPath, unless } from '../host-api.ts';
import {
  type GitHost,
  GitHostError,
  type HostRepository,
  type HostRepositoryKey,
  type HostRepositoryPage,
  type ListRepositories,
} from '../port.ts';
import { decodeFile } from '../read-content.ts';
import { type Connection, repositoryPath } from './connection.ts';
import { branchShape, contentShape, type RepositoryAnswer, repositoryShape, searchShape } from './shapes.ts';

/** Gitea's maximum page, unless its administrator sets another. */
const pageSize = 50;

export function openRepositories(
  connection: Connection,
): Pick<GitHost, 'listRepositories' | 'findRepository' | 'headOf' | 'readFile'> {
  return {
    listRepositories: (request, signal) => listRepositories(connection, request, signal),
    async findRepository(wanted, signal) {
      const found = await unless(['not_found'], answerOf(connection, wanted, signal));
      return found === undefined ? undefined : recordOf(connection, found);
    },
    async headOf(key, branch, signal) {
      // Reading the repository first also tells a missing branch from a missing repository.
      const repository = await connection.repository(key, signal);
      const path = `${repositoryPath(repository)}${apiPath('branches', branch)}`;
      const subject = `the branch ${branch} of ${key.fullName}`;
      const call = connection.call({ path, needs: 'read:repository', subject }, branchShape, signal);
      return (await unless(['not_found'], call))?.body.commit.id;
    },
    async readFile(key, { path: file, commit }, signal) {
      const repository = await connection.repository(key, signal);
      const path = `${repositoryPath(repository)}${apiPath('contents', file)}`;
      const subject = `the file ${file} of ${key.fullName}`;
      const call = { path, query: { ref: commit }, needs: 'read:repository', subject };
      const found = await unless(['not_found'], connection.call(call, contentShape, signal));
      return decodeFile(connection.host, subject, found?.body);
    },
  };
}

async function answerOf(
  connection: Connection,
  wanted: string | HostRepositoryKey,
  signal: AbortSignal,
): Promise<RepositoryAnswer> {
  if (typeof wanted !== 'string') return connection.repository(wanted, signal);
  const call = {
    path: apiPath('repos', wanted),
    needs: 'read:repository',
    subject: `the repository ${wanted}`,
  };
  return (await connection.call(call, repositoryShape, signal)).body;
}

/** Lists what the account may reach. A cursor is a page of Gitea, and the item on it. */
async function listRepositories(
  connection: Connection,
  { query, cursor = '1.0', limit }: ListRepositories,
  signal: AbortSignal,
): Promise<HostRepositoryPage> {
  const [, start, skipped] = /^(\d{1,6})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (start === undefined || skipped === undefined) {
    throw new GitHostError(
      connection.host,
      'invalid',
      'The cursor is not one of this list. Start again without it.',
    );
  }
  // With `uid` the list has what the account may reach, and not every public repository of the host.
  const { id: uid } = await connection.user(signal);
  const items: HostRepository[] = [];
  let item = Number(skipped);
  for (let page = Number(start); ; page += 1) {
    const call = {
      path: '/repos/search',
      query: { q: query, uid, page, limit: pageSize },
      needs: 'read:repository',
      subject: 'the repositories of the account',
    };
    const { body, hasNextPage } = await connection.call(call, searchShape, signal);
    const wanted = body.data.slice(item, item + limit - items.length);
    items.push(...wanted.map((repository) => recordOf(connection, repository)));
    const next = item + wanted.length;
    if (next < body.data.length) return { items, nextCursor: `${page}.${next}` };
    // A host that says of an empty page that another follows would be asked without end.
    if (!hasNextPage || body.data.length === 0) return { items, nextCursor: undefined };
    if (items.length === limit) return { items, nextCursor: `${page + 1}.0` };
    item = 0;
  }
}

function recordOf({ settings }: Connection, answer: RepositoryAnswer): HostRepository {
  const url = `${settings.url}${apiPath(answer.full_name)}`;
  return {
    id: String(answer.id),
    fullName: answer.full_name,
    cloneUrl: `${url}.git`,
    url,
    defaultBranch: answer.default_branch,
    private: answer.private,
    empty: answer.empty,
    canWrite: answer.permissions?.push === true && !answer.archived,
    archived: answer.archived,
  };
}
