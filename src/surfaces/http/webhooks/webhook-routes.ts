import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { HeldBody } from '../../../features/connectors/intake/body-budget.ts';
import type { Intake, WebhookIntake } from '../../../features/connectors/intake/open-intake.ts';
import { senderNetwork } from '../../../foundation/kernel/sender-network.ts';
import { problemResponses } from '../problem.ts';
import { type CountedFaults, countedFaults } from './counted-faults.ts';
import { readBody } from './read-body.ts';

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
    takeRawBodies(server, options.bodyTimeoutMs ?? 10_000);
    const faults = countedFaults(server.log);
    server.addHook('onClose', async () => faults.close());
    serveWebhook(server, '/tracker', intake.tracker, {
      operationId: 'receiveTrackerWebhook',
      summary: 'A signed event of the tracker (headers Tracker-Signature, Tracker-Delivery)',
      logFault: faults.log,
    });
  };
}

function takeRawBodies(server: Server, timeoutMs: number): void {
  server.decorateRequest('heldBody', undefined);
  server.removeAllContentTypeParsers();
  server.addHook('onRequest', async (request) => {
    // Whatever it is called, it is bytes; Fastify would refuse a name that is no media type.
    request.raw.headers['content-type'] = 'application/octet-stream';
  });
  server.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { heldBody: held, routeOptions } = request;
    if (held === undefined) throw new Error('a webhook body is read without being counted');
    return readBody(stream, { limit: routeOptions.bodyLimit, length: lengthOf(request), held, timeoutMs });
  });
  server.addHook('onSend', async (request, reply) => {
    // The rest of a body that was not read to its end must not be taken for the next request.
    if (!request.raw.complete) reply.header('connection', 'close');
  });
}

interface DescribedRoute {
  readonly operationId: string;
  readonly summary: string;
  readonly logFault: CountedFaults['log'];
}

function serveWebhook(
  server: Server,
  path: string,
  intake: WebhookIntake,
  { logFault, ...described }: DescribedRoute,
): void {
  server.post(
    path,
    {
      bodyLimit: intake.bodyLimit,
      config: { unlimitedByAddress: true, logFault },
      onRequest: async (request, reply) => {
        await intake.admit(request.headers);
        holdBody(intake, request, reply);
      },
      schema: {
        ...described,
        tags: ['Webhooks'],
        security: [],
        response: {
          200: received.describe('It is stored, known already, or nothing follows from it.'),
          ...problemResponses(400, 401, 408, 413, 503),
        },
      },
    },
    // Neither this function nor the request keeps the body: the intake has it for as long as it is needed, and counts it.
    (request) => {
      const webhook = { headers: request.headers, body: takeBody(request) };
      return intake.receive(webhook, request.heldBody).then((status) => ({ status }));
    },
  );
}

/** What is read counts until the answer is out, also when the caller leaves in the middle, or longer. */
function holdBody(intake: WebhookIntake, request: FastifyRequest, reply: FastifyReply): void {
  const held = intake.openBody({ network: senderNetwork(request.ip), length: lengthOf(request) });
  request.heldBody = held;
  const ended = held.use();
  if (reply.raw.closed) ended();
  else reply.raw.once('close', ended);
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  const given = headers['content-length'];
  return given === undefined ? undefined : Number(given);
}

/** Without a body, no parser runs. */
function takeBody(request: FastifyRequest): Buffer {
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
