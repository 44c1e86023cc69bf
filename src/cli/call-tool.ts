import { z } from 'zod';
import { ExternalServiceError } from '../foundation/kernel/errors.ts';
import type { HttpResponse } from '../foundation/net/http.ts';
import type { ApiClient } from './api-client.ts';
import { parseJson } from './parse-json.ts';

/** The last protocol version without a handshake of its own: one stateless POST is a whole call. */
const protocolVersion = '2025-11-25';
const requestId = 1;

const content = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));

const reply = z.looseObject({
  id: z.literal(requestId),
  result: z
    .looseObject({ isError: z.boolean().optional(), content, structuredContent: z.unknown().optional() })
    .optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/**
 * Calls one tool of /mcp as JSON-RPC over HTTP and gives its structured content. A tool that says no (`isError`) is
 * told in its own words, which name the next step.
 */
export async function callTool<Answer>(
  api: ApiClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
  shape: z.ZodType<Answer>,
): Promise<Answer> {
  const { baseUrl, org } = api.target;
  const request = { jsonrpc: '2.0', id: requestId, method: 'tools/call', params: { name, arguments: args } };
  const response = await api.post(`/mcp?orgSlug=${org}`, request, {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
  });
  const message = messagesIn(response).flatMap((one) => reply.safeParse(one).data ?? [])[0];
  if (message?.error !== undefined) {
    throw new ExternalServiceError(baseUrl, `${name} failed: ${message.error.message}`, { retryable: false });
  }
  if (message?.result?.isError === true) {
    throw new ExternalServiceError(baseUrl, textOf(message.result.content), { retryable: false });
  }
  const answer = shape.safeParse(message?.result?.structuredContent);
  if (answer.success) return answer.data;
  throw new ExternalServiceError(
    baseUrl,
    `${baseUrl} did not answer ${name} as orgctx does. Is --url right?`,
    {
      retryable: false,
      cause: answer.error,
    },
  );
}

/** The JSON-RPC messages of an answer: one JSON value, or the data of server-sent events. */
function messagesIn({ headers, body }: HttpResponse): readonly unknown[] {
  if (!headers['content-type']?.startsWith('text/event-stream')) return [parseJson(body)];
  const events = new TextDecoder().decode(body).split(/\r?\n\r?\n/);
  return events.map((event) => parseJson(dataOf(event)));
}

/** The `data` lines of one event, joined (HTML standard, server-sent events). */
function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n');
}

function textOf(parts: z.output<typeof content>): string {
  return parts.flatMap(({ text }) => text ?? []).join('\n') || 'The tool failed without saying why.';
}
