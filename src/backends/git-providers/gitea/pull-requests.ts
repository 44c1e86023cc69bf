import type { z } from 'zod';
import { type ApiCall, apiPath } from '../host-api.ts';
import type { GitHost, PullRequest, PullRequestBranches } from '../port.ts';
import { type Connection, repositoryPath } from './connection.ts';
import { commentsShape, pullRequestShape, type RepositoryAnswer } from './shapes.ts';

type Methods = Pick<GitHost, 'findPullRequest' | 'openPullRequest' | 'reopenPullRequest' | 'comment'>;

const pageSize = 50;
/** Older closed pull requests are not looked at. */
const maxPages = 20;

export function openPullRequests(connection: Connection): Methods {
  return {
    async findPullRequest(key, branches, signal) {
      const repository = await connection.repository(key, signal);
      return (
        (await findInState(connection, repository, { ...branches, state: 'open' }, signal)) ??
        (await findInState(connection, repository, { ...branches, state: 'closed' }, signal))
      );
    },
    async openPullRequest(key, { head, base, title, body }, signal) {
      const repository = await connection.repository(key, signal);
      const call = callOf(repository, '/pulls', 'POST', { head, base, title, body });
      return recordOf(connection, repository, (await connection.call(call, pullRequestShape, signal)).body);
    },
    async reopenPullRequest(key, number, signal) {
      const repository = await connection.repository(key, signal);
      const call = callOf(repository, `/pulls${apiPath(number)}`, 'PATCH', { state: 'open' });
      return recordOf(connection, repository, (await connection.call(call, pullRequestShape, signal)).body);
    },
    async comment(key, number, { marker, body }, signal) {
      const repository = await connection.repository(key, signal);
      const own = await findComment(connection, repository, { number, marker }, signal);
      const path =
        own === undefined ? `/issues${apiPath(number)}/comments` : `/issues/comments${apiPath(own)}`;
      const call = callOf(repository, path, own === undefined ? 'POST' : 'PATCH', {
        body: `${body}\n\n${marker}`,
      });
      await connection.send({ ...call, needs: 'write:issue' }, signal);
    },
  };
}

function callOf(
  repository: RepositoryAnswer,
  path: string,
  method: 'POST' | 'PATCH',
  body: unknown,
): ApiCall {
  const subject = `a pull request of ${repository.full_name}`;
  return { method, path: `${repositoryPath(repository)}${path}`, body, needs: 'write:repository', subject };
}

/** Gitea lists the newest first and has no filter for branches. */
async function findInState(
  connection: Connection,
  repository: RepositoryAnswer,
  { head, base, state }: PullRequestBranches & { readonly state: 'open' | 'closed' },
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  const path = `${repositoryPath(repository)}/pulls`;
  const subject = `the pull requests of ${repository.full_name}`;
  for (let page = 1; page <= maxPages; page += 1) {
    const query = { state, page, limit: pageSize };
    const answer = await connection.call(
      { path, query, needs: 'read:repository', subject },
      pullRequestShape.array(),
      signal,
    );
    const found = answer.body.find(
      (one) => one.head.ref === head && one.head.repo_id === repository.id && one.base.ref === base,
    );
    if (found !== undefined) return recordOf(connection, repository, found);
    if (!answer.hasNextPage) break;
  }
  return undefined;
}

/** Only comments of this account count: anybody may write one with the marker. */
async function findComment(
  connection: Connection,
  repository: RepositoryAnswer,
  { number, marker }: { readonly number: number; readonly marker: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { id } = await connection.user(signal);
  const call = {
    path: `${repositoryPath(repository)}/issues${apiPath(number)}/comments`,
    needs: 'read:issue',
    subject: `the comments of pull request ${number} of ${repository.full_name}`,
  };
  const { body } = await connection.call(call, commentsShape, signal);
  return body.find((comment) => comment.user?.id === id && comment.body.includes(marker))?.id;
}

function recordOf(
  { settings }: Connection,
  repository: RepositoryAnswer,
  { number, state, merged, head, merge_commit_sha: mergeCommit }: z.output<typeof pullRequestShape>,
): PullRequest {
  return {
    number,
    url: `${settings.url}${apiPath(repository.full_name, 'pulls', number)}`,
    state: merged ? 'merged' : state,
    headCommit: head.sha,
    ...(merged && typeof mergeCommit === 'string' && { mergeCommit }),
  };
}
