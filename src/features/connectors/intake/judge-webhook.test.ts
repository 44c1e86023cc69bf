import { describe, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../../../test/standins/webhook-sender.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import type { WebhookReader } from '../port.ts';
import { trackerWebhooks } from '../tracker/webhook.ts';
import type { Candidate } from './connections-of-account.ts';
import { judgeWebhook } from './judge-webhook.ts';

describe('judging a webhook', () => {
  const candidate = (text: string): Candidate => ({
    connectionId: newId(),
    account: 'workspace-1',
    following: true,
    secret: { kind: 'own', text },
  });

  it('reads the body once for each secret, however many connections have it', () => {
    const tried: string[] = [];
    const reader: WebhookReader = {
      ...trackerWebhooks,
      verifierOf: (headers) => (body, secret) => {
        tried.push(secret);
        return trackerWebhooks.verifierOf(headers)?.(body, secret) ?? false;
      },
    };
    const source = { reader, toleranceMs: 60_000, deploymentSecret: undefined };
    const candidates = ['wrong', 'right', 'wrong', 'right', 'wrong'].map(candidate);
    const webhook = signTracker(trackerEvent(), { secret: 'right' });
    const { connections } = judgeWebhook(source, webhook, candidates, Date.now());
    expect(connections).toEqual([candidates[1], candidates[3]]);
    expect(tried).toEqual(['wrong', 'right']);
  });
});
