import type { z } from 'zod';
import { type ApiCall, apiPath } from '../host-api.ts';
import { type GitHost, GitHostError, type HostRepositoryKey, type PullRequest } from '../port.ts';
import type { Connection } from './connection.ts';
import { commentsShape, pullRequestShape } from './shapes.ts';

type Methods = Pick<GitHost, 'findPullRequest' | 'openPullRequest' | 'reopenPullRequest' | 'comment'>;

const needs = 'pull_requests: write';
const pageSize = 100;
/** Comments beyond this many are not looked at. */
const maxCommentPages = 20;

export function openPullRequests(connection: Connection): Methods {
  return {
    async findPullRequest(repository, { head, base }, signal) {
      const { full_name: fullName, owner } = await connection.readRepository(repository, signal);
      const query = { head: `${owner.login}:${head}`, base, state: 'all', per_page: pageSize };
      const subject = `the pull requests of ${fullName}`;
      const path = `${await connection.repositoryPath(repository, signal)}/pulls`;
      const { body } = await connection.call(
        { path, query, needs: 'pull_requests: read', subject },
        pullRequestShape.array(),
        signal,
      );
      const found = body.find(({ state }) => state === 'open') ?? body[0];
      return found === undefined ? undefined : recordOf(connection, fullName, found);
    },
    async openPullRequest(repository, { head, base, title, body }, signal) {
      const call = callOf(repository, '/pulls', 'POST', { title, head, base, body });
      try {
        return await answerOf(connection, repository, call, signal);
      } catch (error) {
        throw asConflict(connection, error);
      }
    },
    reopenPullRequest: (repository, number, signal) =>
      answerOf(
        connection,
        repository,
        callOf(repository, `/pulls${apiPath(number)}`, 'PATCH', { state: 'open' }),
        signal,
      ),
    async comment(repository, number, { marker, body }, signal) {
      const text = { body: `${body}\n\n${marker}` };
      const found = await findComment(connection, repository, { number, marker }, signal);
      const path =
        found === undefined ? `/issues${apiPath(number)}/comments` : `/issues/comments${apiPath(found)}`;
      const call = callOf(repository, path, found === undefined ? 'POST' : 'PATCH', text);
      await connection.send(await placed(connection, repository, call, signal), signal);
    },
  };
}

function callOf(
  repository: HostRepositoryKey,
  path: string,
  method: 'POST' | 'PATCH',
  body: unknown,
): ApiCall {
  const subject = `a pull request of ${repository.fullName}`;
  return { method, path, body, needs, subject };
}

/** Returns a call whose path lies below that of the repository. */
async function placed(
  connection: Connection,
  repository: HostRepositoryKey,
  call: ApiCall,
  signal: AbortSignal,
): Promise<ApiCall> {
  return { ...call, path: `${await connection.repositoryPath(repository, signal)}${call.path}` };
}

async function answerOf(
  connection: Connection,
  repository: HostRepositoryKey,
  call: ApiCall,
  signal: AbortSignal,
): Promise<PullRequest> {
  const at = await placed(connection, repository, call, signal);
  const { body } = await connection.call(at, pullRequestShape, signal);
  return recordOf(connection, repository.fullName, body);
}

/** GitHub answers 422 for a pull request that exists, as for any invalid request. */
function asConflict({ host }: Connection, error: unknown): unknown {
  const exists =
    error instanceof GitHostError &&
    error.reason === 'invalid' &&
    /pull request already exists/i.test(error.message);
  if (!exists) return error;
  return new GitHostError(host, 'conflict', 'A pull request between these branches is open already.', {
    cause: error,
  });
}

/** Only comments of this App count: anybody may write one with the marker. */
async function findComment(
  connection: Connection,
  repository: HostRepositoryKey,
  { number, marker }: { readonly number: number; readonly marker: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const path = `${await connection.repositoryPath(repository, signal)}/issues${apiPath(number)}/comments`;
  const subject = `the comments of pull request ${number} of ${repository.fullName}`;
  const { appId } = connection.settings;
  for (let page = 1; page <= maxCommentPages; page += 1) {
    const query = { per_page: pageSize, page };
    const answer = await connection.call(
      { path, query, needs: 'pull_requests: read', subject },
      commentsShape,
      signal,
    );
    const found = answer.body.find(({ body, performed_via_github_app: app }) => {
      const isOwn =
        app !== null && app !== undefined && (String(app.id) === appId || app.client_id === appId);
      return isOwn && body?.includes(marker);
    });
    if (found !== undefined) return found.id;
    if (!answer.hasNextPage) break;
  }
  return undefined;
}

function recordOf(
  { settings }: Connection,
  fullName: string,
  {
    number,
    state,
    head,
    merged_at: mergedAt,
    merge_commit_sha: mergeCommit,
  }: z.output<typeof pullRequestShape>,
): PullRequest {
  const merged = mergedAt !== null;
  return {
    number,
    url: `${settings.url}${apiPath(fullName, 'pull', number)}`,
    state: merged ? 'merged' : state,
    headCommit: head.sha,
    ...(merged && mergeCommit !== null && { mergeCommit }),
  };
}
