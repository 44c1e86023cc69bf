import { describe, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../../../test/standins/webhook-sender.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import type { WebhookReader } from '../port.ts';
import { trackerWebhooks } from '../tracker/webhook.ts';
import type { Candidate } from './connections-of-account.ts';
import { verifyWebhook } from './verify-webhook.ts';

describe('verifyWebhook', () => {
  const candidate = (text: string): Candidate => ({
    connectionId: newId(),
    account: 'workspace-1',
    isConnected: true,
    secrets: [{ kind: 'own', text }],
  });

  it('hashes the body once per secret, even if several connections share the secret', () => {
    const tried: string[] = [];
    const reader: WebhookReader = {
      ...trackerWebhooks,
      verifierOf: (headers) => (body, secret) => {
        tried.push(secret);
        return trackerWebhooks.verifierOf(headers)?.(body, secret) ?? false;
      },
    };
    const tolerance = { pastMs: 60_000, futureMs: 60_000 };
    const source = { kind: 'tracker', reader, tolerance, deploymentSecret: undefined };
    const candidates = ['wrong', 'right', 'wrong', 'right', 'wrong'].map(candidate);
    const webhook = signTracker(trackerEvent(), { secret: 'right' });
    const { connections } = verifyWebhook(source, webhook, candidates, Date.now());
    expect(connections).toEqual([candidates[1], candidates[3]]);
    expect(tried).toEqual(['wrong', 'right']);
  });
});
