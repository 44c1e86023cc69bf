import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { disconnectSignal } from '../fastify/disconnect.ts';

export interface ExchangeOptions {
  readonly handler: McpHttpHandler;
  /** The endpoint's public address; the request's own Host is never believed. */
  readonly url: string;
  readonly authInfo: AuthInfo;
}

/** Batches (2025-03-26 only) are answered all at once: more messages would be more than one caller's share. */
const mostInBatch = 20;

/** What the protocol reads. Everything else, the bearer token first, ends at this door. */
const protocolHeaders = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

/**
 * Carries one JSON-RPC exchange between Fastify and the SDK's web-standard handler. A caller who disconnects
 * aborts the call (MCP, cancellation by closing the stream).
 */
export async function exchange(
  options: ExchangeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = parseBody(request.body);
  if (body === unparsable) return refuse(reply, -32_700, 'Parse error: the body is not valid JSON in UTF-8.');
  if (Array.isArray(body)) {
    if (body.length > mostInBatch) {
      return refuse(reply, -32_600, `Invalid request: a batch holds at most ${mostInBatch} messages.`);
    }
    await request.server.callLimits.countFurtherCalls(request, body.length - 1);
  }

  const signal = disconnectSignal(reply);
  const response = await options.handler.fetch(
    new Request(options.url, { method: 'POST', headers: headersOf(request), signal }),
    { parsedBody: body, authInfo: options.authInfo },
  );
  return send(response, reply);
}

const unparsable = Symbol('unparsable');

/** RFC 8259 section 8.1: JSON is UTF-8. Decoded leniently, a query would hold characters that nobody sent. */
function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) return unparsable;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return unparsable;
  }
}

/** JSON-RPC 2.0 section 5.1: what cannot be read as one request is answered with a null id. */
function refuse(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(400).send({ jsonrpc: '2.0', error: { code, message }, id: null });
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && protocolHeaders.test(name)) headers.set(name, value);
  }
  return headers;
}

async function send(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!streamed) return reply.send(await response.text());
  // Preact's types bring the browser's into the program, whose streams are these but for a signature.
  return reply.send(Readable.fromWeb(response.body as ReadableStream<Uint8Array>));
}
