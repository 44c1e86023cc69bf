import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  type Intake,
  pushEndpoint,
  type WebhookIntake,
} from '../../../features/connectors/intake/open-intake.ts';
import { senderNetworks } from '../../../foundation/kernel/limits/sender-network.ts';
import { bodyLength, closeAfterUnreadBody, countUntilAnswered, readBody } from '../../fastify/read-body.ts';
import { problemResponses } from '../problem.ts';
import { type CountedErrors, countedErrors } from './counted-errors.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

export interface WebhookOptions {
  /**
   * Time-out for receiving a body, in milliseconds. Default: 10,000. Providers send the body at once; with the 30 s
   * of other requests, few senders could hold all memory.
   */
  readonly bodyTimeoutMs?: number;
}

const received = z.object({ status: z.enum(['accepted', 'ignored', 'duplicate']) }).meta({ id: 'Received' });

/**
 * Registers the webhooks of the providers, regardless of the configuration. The intake receives the body as the bytes
 * that were sent, with any content type, because a signature covers bytes. Webhooks are exempt from the limit by
 * address (contract section 3).
 */
export function webhookRoutes(intake: Intake, options: WebhookOptions = {}): FastifyPluginAsyncZod {
  return async (server) => {
    takeRawBodies(server, options.bodyTimeoutMs ?? 10_000);
    const errors = countedErrors(server.log);
    server.addHook('onClose', async () => errors.close());
    for (const [kind, source] of intake.sources) {
      const { summary, bodyLimit } = source;
      serveWebhook(
        server,
        { kind, path: `/${kind}`, summary, bodyLimit, intakeOf: () => source },
        errors.log,
      );
    }
    const pushes = {
      ...pushEndpoint,
      kind: 'githost',
      path: '/githost/:connectionId',
      params: z.object({ connectionId: z.string().describe('Id of the connection, or `app`.') }),
      intakeOf: (request: FastifyRequest) =>
        intake.pushes((request.params as { connectionId: string }).connectionId),
    };
    serveWebhook(server, pushes, errors.log);
  };
}

function takeRawBodies(server: Server, timeoutMs: number): void {
  server.removeAllContentTypeParsers();
  server.addHook('onRequest', async (request) => {
    // The body is read as bytes with any content type; Fastify would refuse an invalid media type.
    request.raw.headers['content-type'] = 'application/octet-stream';
  });
  server.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { heldBody: held, routeOptions } = request;
    if (held === undefined) throw new Error('a webhook body is read without being counted');
    return readBody(stream, { limit: routeOptions.bodyLimit, length: bodyLength(request), held, timeoutMs });
  });
  closeAfterUnreadBody(server);
}

interface ServedWebhook extends Pick<WebhookIntake, 'summary' | 'bodyLimit'> {
  readonly kind: string;
  readonly path: string;
  readonly params?: z.ZodObject;
  intakeOf(request: FastifyRequest): WebhookIntake;
}

function serveWebhook(
  server: Server,
  { kind, path, summary, bodyLimit, params, intakeOf }: ServedWebhook,
  logError: CountedErrors['log'],
): void {
  server.post(
    path,
    {
      bodyLimit,
      config: { unlimitedByAddress: true, logError },
      onRequest: async (request, reply) => {
        const intake = intakeOf(request);
        await intake.admit(request.headers);
        holdBody(intake, request, reply);
      },
      schema: {
        operationId: `receive${kind.charAt(0).toUpperCase()}${kind.slice(1)}Webhook`,
        summary,
        ...(params && { params }),
        tags: ['Webhooks'],
        security: [],
        response: {
          200: received.describe('The event was accepted, is a duplicate, or has no effect and is ignored.'),
          ...problemResponses(400, 401, 408, 413, 503),
        },
      },
    },
    // Neither this function nor the request keeps a reference to the body: the intake owns it and counts its memory.
    (request) => {
      const webhook = { headers: request.headers, body: takeBody(request) };
      return intakeOf(request)
        .receive(webhook, request.heldBody, senderNetworks(request.ip))
        .then((status) => ({ status }));
    },
  );
}

/** Counts the memory of the body at least until the response is sent or the client disconnects. */
function holdBody(intake: WebhookIntake, request: FastifyRequest, reply: FastifyReply): void {
  const held = intake.openBody({ owner: senderNetworks(request.ip), length: bodyLength(request) });
  request.heldBody = held;
  countUntilAnswered(held, reply);
}

/** Returns the body and removes it from the request. Without a body no parser runs; the result is then empty. */
function takeBody(request: FastifyRequest): Buffer {
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
