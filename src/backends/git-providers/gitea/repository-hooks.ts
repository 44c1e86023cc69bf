import { apiPath, unless } from '../host-api.ts';
import type { GitHost } from '../port.ts';
import { type Connection, repositoryPath } from './connection.ts';
import { hooksShape, type RepositoryAnswer } from './shapes.ts';

const needs = 'write:repository';
const pageSize = 50;
const maxPages = 20;

export function openRepositoryHooks(connection: Connection): Pick<GitHost, 'ensureHook' | 'removeHook'> {
  async function idsOf(repository: RepositoryAnswer, url: string, signal: AbortSignal): Promise<number[]> {
    const path = `${repositoryPath(repository)}/hooks`;
    const subject = `the webhooks of ${repository.full_name}`;
    const ids: number[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const query = { page, limit: pageSize };
      const answer = await connection.call({ path, query, needs, subject }, hooksShape, signal);
      ids.push(...answer.body.filter(({ config }) => config.url === url).map(({ id }) => id));
      if (!answer.hasNextPage) break;
    }
    return ids;
  }

  async function removeAll(
    repository: RepositoryAnswer,
    ids: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const subject = `a webhook of ${repository.full_name}`;
    for (const id of ids) {
      const path = `${repositoryPath(repository)}${apiPath('hooks', id)}`;
      await unless(['not_found'], connection.send({ method: 'DELETE', path, needs, subject }, signal));
    }
  }

  return {
    async ensureHook(key, { url, secret }, signal) {
      const repository = await connection.repository(key, signal);
      const config = { url, secret, content_type: 'json' };
      const body = { type: 'gitea', config, events: ['push'], active: true };
      const path = `${repositoryPath(repository)}/hooks`;
      const subject = `a webhook of ${repository.full_name}`;
      // Gitea cannot change the secret of a webhook, so a new one replaces it.
      await connection.send({ method: 'POST', path, body, needs, subject }, signal);
      // The newest stays, also if another worker has added one at the same time.
      const [, ...others] = (await idsOf(repository, url, signal)).toSorted((a, b) => b - a);
      await removeAll(repository, others, signal);
    },
    async removeHook(key, url, signal) {
      const repository = await unless(['not_found'], connection.repository(key, signal));
      if (repository !== undefined) await removeAll(repository, await idsOf(repository, url, signal), signal);
    },
  };
}
