import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { HeldBody } from '../../../features/connectors/intake/body-budget.ts';
import type { Intake, WebhookIntake } from '../../../features/connectors/intake/open-intake.ts';
import { problemResponses } from '../problem.ts';
import { checkLength, readBody } from './read-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of webhooks: what their body takes of the memory for bodies. */
    heldBody: HeldBody | undefined;
  }
}

type Server = Parameters<FastifyPluginAsyncZod>[0];

export interface WebhookOptions {
  /**
   * Milliseconds for a body to arrive in; 10,000. A provider sends at once; the 30 s of other requests would let few
   * senders hold all memory.
   */
  readonly bodyTimeoutMs?: number;
}

const received = z.object({ status: z.enum(['accepted', 'ignored', 'duplicate']) }).meta({ id: 'Received' });

/**
 * Webhooks of the providers, whatever is configured. Their bodies reach the intake as the bytes that were sent, of
 * whatever content type, since a signature is over bytes; and they are outside the limit by address (contract section 3).
 */
export function webhookRoutes(intake: Intake, options: WebhookOptions = {}): FastifyPluginAsyncZod {
  return async (server) => {
    takeRawBodies(server, intake, options.bodyTimeoutMs ?? 10_000);
    serveWebhook(server, '/tracker', intake.tracker, {
      operationId: 'receiveTrackerWebhook',
      summary: 'A signed event of the tracker (headers Tracker-Signature, Tracker-Delivery)',
    });
  };
}

function takeRawBodies(server: Server, { budget }: Intake, timeoutMs: number): void {
  server.decorateRequest('heldBody', undefined);
  server.removeAllContentTypeParsers();
  server.addHook('onRequest', async (request, reply) => {
    // Whatever it is called, it is bytes; Fastify would refuse a name that is no media type.
    request.raw.headers['content-type'] = 'application/octet-stream';
    const held = budget.open();
    request.heldBody = held;
    // Also when the caller leaves in the middle.
    reply.raw.once('close', () => held.release());
  });
  server.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { heldBody: held, headers, routeOptions } = request;
    const limit = routeOptions.bodyLimit;
    if (held === undefined) throw new Error('a webhook body is read without being counted');
    checkLength(headers['content-length'], limit);
    return readBody(stream, { limit, held, timeoutMs });
  });
  server.addHook('onSend', async (request, reply) => {
    // The rest of a body that was not read to its end must not be taken for the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
  });
}

function serveWebhook(
  server: Server,
  path: string,
  intake: WebhookIntake,
  described: { readonly operationId: string; readonly summary: string },
): void {
  server.post(
    path,
    {
      bodyLimit: intake.bodyLimit,
      config: { unlimitedByAddress: true },
      onRequest: async () => intake.assertOpen(),
      schema: {
        ...described,
        tags: ['Webhooks'],
        security: [],
        response: {
          200: received.describe('It is stored, known already, or nothing follows from it.'),
          ...problemResponses(400, 401, 413, 503),
        },
      },
    },
    async ({ headers, body }) => ({ status: await intake.receive({ headers, body: bytesOf(body) }) }),
  );
}

/** Without a body, no parser runs. */
function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
