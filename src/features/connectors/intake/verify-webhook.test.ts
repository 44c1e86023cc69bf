import { describe, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../../../test/standins/webhook-sender.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import type { WebhookReader } from '../port.ts';
import { trackerTasks } from '../tracker/tasks.ts';
import { trackerWebhooks } from '../tracker/webhook.ts';
import type { Candidate } from './candidates.ts';
import { verifiedConnections } from './verify-webhook.ts';

describe('the connections that verify a webhook', () => {
  const candidate = (text: string): Candidate => ({
    connectionId: newId(),
    account: 'workspace-1',
    isConnected: true,
    secrets: [text],
    unreadable: [],
  });

  const sourceWith = (verify: (body: Buffer, secret: string) => boolean) => {
    const webhooks: WebhookReader = { ...trackerWebhooks, verifierOf: () => verify };
    const tolerance = { pastMs: 60_000, futureMs: 60_000 };
    return { kind: 'tracker', webhooks, tasks: trackerTasks, tolerance, webhookSecret: undefined };
  };
  const webhook = signTracker(trackerEvent(), { secret: 'right' });

  it('are found with one hash of the body per secret, even if several connections share the secret', async () => {
    const tried: string[] = [];
    const source = sourceWith((body, secret) => {
      tried.push(secret);
      return trackerWebhooks.verifierOf(webhook.headers)?.(body, secret) ?? false;
    });
    const candidates = ['wrong', 'right', 'wrong', 'right', 'wrong'].map(candidate);
    const connections = await verifiedConnections(source, webhook, candidates);
    expect(connections).toEqual([candidates[1], candidates[3]]);
    expect(tried).toEqual(['wrong', 'right']);
  });

  it('are looked for in slices, between which other work goes on', async () => {
    let turns = 0;
    const count = (): NodeJS.Immediate =>
      setImmediate(() => {
        turns += 1;
        immediate = count();
      });
    let immediate = count();
    const source = sourceWith(() => {
      const until = performance.now() + 6;
      while (performance.now() < until);
      return false;
    });
    const candidates = Array.from({ length: 20 }, (_, n) => candidate(`secret ${n}`));
    await expect(verifiedConnections(source, webhook, candidates)).rejects.toThrow(/signature/);
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(19);
  });
});
