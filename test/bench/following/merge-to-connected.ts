import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowingService, until } from './service.ts';

/** Time after which no job of the proposal runs any more, in milliseconds. */
const settleMs = 2_000;

/**
 * Connects the tracker, merges the configuration pull request and returns the milliseconds from the merge to `connected`,
 * for each of several connections. With `poll` every webhook is lost. @throws when a connection is not connected
 */
export async function measureMerges(
  service: FollowingService,
  rounds: number,
  by: 'hook' | 'poll',
): Promise<readonly number[]> {
  const { githost, addHosted, call } = service;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const hosted = addHosted(`context-${by}-${round}`, { 'README.md': 'Our context\n' });
    const id = await propose(service, hosted.fullName);
    const stateOf = async (): Promise<unknown> => (await call('GET', `/connections/${id}/status`))['state'];
    await until('the merge is awaited', async () => (await stateOf()) === 'awaiting_merge', { everyMs: 50 });
    // The webhooks of the proposal start a check, too.
    await githost.hooks.settled();
    await sleep(settleMs);
    githost.hooks.dropped = by === 'poll';
    githost.merge(hosted, 1);
    const mergedAt = performance.now();
    await until('the connection is connected', async () => (await stateOf()) === 'connected', {
      everyMs: by === 'hook' ? 20 : 250,
    });
    times.push(performance.now() - mergedAt);
    githost.hooks.dropped = false;
    await call('DELETE', `/connections/${id}`);
  }
  return times;
}

/** Creates, authorizes and binds a connection, and opens its pull request. Returns its id. */
async function propose(
  { baseUrl, tracker, call, githostId }: FollowingService,
  repository: string,
): Promise<string> {
  const { clientId, clientSecret } = tracker.addApp(`${baseUrl}/api/v1/integrations/tracker/callback`);
  const created = await call('POST', '/connections', { kind: 'tracker' });
  const id = String(created['id']);
  const webhookSecret = randomBytes(24).toString('hex');
  await call('PUT', `/connections/${id}/app`, { clientId, clientSecret, webhookSecret });
  const { authorizationUrl } = await call('POST', `/connections/${id}/authorize`);
  const page = await fetch(String(authorizationUrl));
  if (!page.ok) throw new Error(`the authorization failed: ${await page.text()}`);
  const options = await call('GET', `/connections/${id}/scope-options`);
  const [team] = (options['items'] as readonly Record<string, string>[]).filter(
    ({ kind }) => kind === 'team',
  );
  const binding = { githostConnectionId: githostId, repository, scope: { teams: [team?.['key']] } };
  await call('POST', `/connections/${id}/pull-request`, { binding });
  return id;
}
