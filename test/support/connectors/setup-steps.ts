import { expect } from 'vitest';
import type { ConnectorSetupTest } from './connector-setup.ts';

/** The steps of the setup of a toy connection, for the environment that is open at each call. */
export function setupSteps(opened: () => ConnectorSetupTest) {
  /** A connection with an authorized account. */
  async function authorized(name = 'boxes'): Promise<string> {
    const created = await opened().rest('POST', '/connections', { kind: 'toy', name });
    const id = created.body['id'] as string;
    const { body } = await opened().rest('POST', `/connections/${id}/authorize`);
    const page = await opened().browse(body['authorizationUrl'] as string);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Account authorized')]);
    return id;
  }

  const scope = { boxes: ['red'] };
  const bindingOf = (more: object = {}) => ({
    githostConnectionId: opened().githostId,
    repository: 'octo-org/context',
    scope,
    ...more,
  });

  /** A connection that awaits the merge of its pull request. */
  async function proposed(more: object = {}): Promise<string> {
    const id = await authorized();
    const { status } = await opened().rest('POST', `/connections/${id}/pull-request`, {
      binding: bindingOf(more),
    });
    expect(status).toBe(200);
    await opened().runJobs();
    return id;
  }

  const statusOf = async (id: string) => (await opened().rest('GET', `/connections/${id}/status`)).body;
  const headBranch = (id: string): string => `orgctx/toy-${id.slice(-8)}`;
  const fileOn = (branch: string, path = 'toy/config.yaml'): string | undefined =>
    opened().repository.bare.read(branch, path)?.toString();
  const good = (id: string, boxes: readonly string[] = ['red']): string =>
    `version: 1\nconnection: ${id}\nscope: {boxes: [${boxes.join(', ')}]}\n`;
  const tasks = async () =>
    (await opened().database.queries.selectFrom('jobs').select('task').orderBy('task').execute()).map(
      ({ task }) => task,
    );

  return { authorized, bindingOf, fileOn, good, headBranch, proposed, statusOf, tasks };
}
