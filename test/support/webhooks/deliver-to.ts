import type { SignedWebhook } from '../../standins/webhook-sender.ts';
import type { TestHttp } from '../http/http-server.ts';

/**
 * Delivers an event of the tracker. `status` is the status in the response body: a word, or the number of a problem.
 */
export async function deliverTo({ server }: Pick<TestHttp, 'server'>, webhook: SignedWebhook) {
  const { statusCode, body, headers } = await server.inject({
    method: 'POST',
    url: '/api/v1/webhook/tracker',
    headers: webhook.headers,
    payload: webhook.body,
  });
  const answer = JSON.parse(body) as { status: string | number; code?: string };
  return { statusCode, status: answer.status, code: answer.code, retryAfter: headers['retry-after'] };
}
