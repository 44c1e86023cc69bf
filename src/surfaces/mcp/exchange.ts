import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type AuthInfo, type McpHttpHandler, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsType } from '../fastify/accept.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { exceededJsonLimit } from '../fastify/json-limits.ts';

export interface ExchangeOptions {
  readonly handler: McpHttpHandler;
  /** The public URL of the endpoint. The Host header of the request is never trusted. */
  readonly url: string;
  readonly authInfo: AuthInfo;
}

/**
 * Maximum number of messages in a batch (2025-03-26 only). All of them run at once, so the limit keeps callers fair.
 */
const maxInBatch = 20;

/**
 * Limits of a JSON body. The SDK validates a message several times, at up to 0.1 ms for each member. Known clients send
 * fewer than 100 members and 10 levels in one message.
 */
const jsonLimits = { members: 1_000, depth: 64 };

/** The request headers that are passed on unchanged. All others, the bearer token above all, are not passed on. */
const protocolHeaders = /^(?:content-type|last-event-id|mcp-.*)$/;

/** The types of answers, of which the SDK requires both. It searches the text of the Accept header for these names. */
const answerTypes = ['application/json', 'text/event-stream'];

/**
 * Passes one JSON-RPC request from Fastify to the SDK's web-standard handler, and sends its response. A disconnect
 * aborts the call (MCP, cancellation by closing the stream).
 */
export async function exchange(
  options: ExchangeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const bytes = request.body;
  // The bytes are not needed while the call runs.
  request.body = undefined;
  const exceeded = Buffer.isBuffer(bytes) ? exceededJsonLimit(bytes, jsonLimits) : undefined;
  if (exceeded !== undefined) {
    return refuse(reply, -32_600, `Invalid request: ${exceeded}.`, 413);
  }
  const body = parseBody(bytes);
  if (body === unparsable) return refuse(reply, -32_700, 'Parse error: the body is not valid JSON in UTF-8.');
  if (Array.isArray(body) && body.length > maxInBatch) {
    return refuse(reply, -32_600, `Invalid request: a batch holds at most ${maxInBatch} messages.`);
  }
  const messages = [body].flat();
  for (const message of messages) dropNullArguments(message);
  const long = messages.map(longText).find((name) => name !== undefined);
  if (long !== undefined) return refuse(reply, -32_600, `Invalid request: ${long}.`);
  await request.server.callLimits.countFurtherCalls(request, messages.length - 1);

  const signal = disconnectSignal(reply);
  const response = await options.handler.fetch(
    new Request(options.url, { method: 'POST', headers: headersOf(request), signal }),
    { parsedBody: body, authInfo: options.authInfo },
  );
  return send(response, reply);
}

/** Maximum length of the texts of a message that responses repeat: its id, and the names in it. */
const maxNameCharacters = 200;
/** Maximum length of the address of a resource: a path of 4,096 bytes, each of them escaped, and its repository. */
const maxUriCharacters = 16_384;

/** Describes the text of a message that is too long to be read and repeated. */
function longText(message: unknown): string | undefined {
  const { id, method, params } = objectOf(message);
  const { name, uri, protocolVersion, _meta } = objectOf(params);
  const { progressToken, [PROTOCOL_VERSION_META_KEY]: version } = objectOf(_meta);
  const names = { id, method, name, protocolVersion, progressToken, [PROTOCOL_VERSION_META_KEY]: version };
  const long = Object.entries(names).find(([, text]) => isLonger(text, maxNameCharacters))?.[0];
  if (long !== undefined) return `\`${long}\` is longer than ${maxNameCharacters} characters`;
  return isLonger(uri, maxUriCharacters)
    ? `\`uri\` is longer than ${maxUriCharacters} characters`
    : undefined;
}

function isLonger(text: unknown, max: number): boolean {
  return typeof text === 'string' && text.length > max;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Removes `arguments: null`, which the SDK refuses: some clients write absent values as null. */
function dropNullArguments(message: unknown): void {
  const params = objectOf(objectOf(message)['params']);
  if (params['arguments'] === null) delete params['arguments'];
}

const unparsable = Symbol('unparsable');

/**
 * Parses JSON, which must be UTF-8 (RFC 8259 section 8.1). Lenient decoding would add replacement characters to
 * queries.
 */
function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) return unparsable;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return unparsable;
  }
}

/** Refuses a body that is not a request; the id of the response is null (JSON-RPC 2.0 section 5.1). */
function refuse(reply: FastifyReply, code: number, message: string, status = 400): FastifyReply {
  return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null });
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && protocolHeaders.test(name)) headers.set(name, value);
  }
  headers.set('accept', answerTypes.filter((type) => acceptsType(request, type)).join(', '));
  return headers;
}

async function send(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!streamed) return reply.send(await response.text());
  // The types of Preact include those of browsers, whose stream type differs from Node's in one signature.
  return reply.send(Readable.fromWeb(response.body as ReadableStream<Uint8Array>));
}
