import { apiPath, unless } from '../host-api.ts';
import type { GitHost, HostRepositoryKey } from '../port.ts';
import type { Connection } from './connection.ts';
import { hooksShape } from './shapes.ts';

const needs = 'repository_hooks: write';

export function openRepositoryHooks(connection: Connection): Pick<GitHost, 'ensureHook' | 'removeHook'> {
  async function idsOf(repository: HostRepositoryKey, url: string, signal: AbortSignal): Promise<number[]> {
    const path = `${await connection.repositoryPath(repository, signal)}/hooks`;
    const subject = `the webhooks of ${repository.fullName}`;
    // GitHub allows 20 webhooks per event, so they fit on one page.
    const { body } = await connection.call(
      { path, query: { per_page: 100 }, needs, subject },
      hooksShape,
      signal,
    );
    return body.filter(({ config }) => config.url === url).map(({ id }) => id);
  }

  async function remove(repository: HostRepositoryKey, id: number, signal: AbortSignal): Promise<void> {
    const path = `${await connection.repositoryPath(repository, signal)}${apiPath('hooks', id)}`;
    const subject = `a webhook of ${repository.fullName}`;
    await unless(['not_found'], connection.send({ method: 'DELETE', path, needs, subject }, signal));
  }

  return {
    async ensureHook(repository, { url, secret }, signal) {
      const [first, ...others] = await idsOf(repository, url, signal);
      const config = { url, secret, content_type: 'json', insecure_ssl: '0' };
      const hook = { config, events: ['push'], active: true };
      const path = `${await connection.repositoryPath(repository, signal)}/hooks${first === undefined ? '' : apiPath(first)}`;
      const subject = `a webhook of ${repository.fullName}`;
      // GitHub does not show the secret, so an existing webhook is always given it again.
      const method = first === undefined ? 'POST' : 'PATCH';
      await connection.send({ method, path, body: hook, needs, subject }, signal);
      for (const id of others) await remove(repository, id, signal);
    },
    async removeHook(repository, url, signal) {
      const ids = (await unless(['not_found'], idsOf(repository, url, signal))) ?? [];
      for (const id of ids) await remove(repository, id, signal);
    },
  };
}
