import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';

/** One route of an API. A query parameter or body field that it does not declare is refused. */
export interface Route {
  readonly method: string;
  /** Below the API's root; `:name` is one part of the path, `*name` the rest with slashes. */
  readonly path: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly handle: (call: RouteCall) => ApiReply | Promise<ApiReply>;
}

export interface RouteCall {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly message: IncomingMessage;
  /** URL of the API and the path, for links to other pages. */
  readonly url: URL;
}

export interface ApiReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a handler to end the call. */
export class Refusal extends Error {
  readonly reply: ApiReply;

  constructor(
    status: number,
    message: string,
    rest: { errors?: readonly unknown[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    const { errors, headers = {} } = rest;
    this.reply = { status, body: { message, ...(errors !== undefined && { errors }) }, headers };
  }
}

const maxBodyBytes = 1024 * 1024;

/**
 * Answers a call by the routes. What no real host would accept from this client, because it knows no such route,
 * parameter or field, is refused and reported to `onStray`.
 */
export async function answerCall(
  routes: readonly Route[],
  path: string,
  message: IncomingMessage,
  onStray: (what: string) => void,
): Promise<ApiReply> {
  const url = new URL(message.url ?? '/', `http://${message.headers.host}`);
  const body = await readAll(message);
  const stray = (what: string, status: number): ApiReply => {
    onStray(`${message.method} ${url.pathname}: ${what}`);
    return { status, body: { message: what } };
  };
  for (const route of routes) {
    const parameters = matchPath(route.path, path);
    if (route.method !== message.method || parameters === undefined) continue;
    const query = z.strictObject(route.query?.shape ?? {}).safeParse(Object.fromEntries(url.searchParams));
    if (!query.success) return stray(`query: ${query.error.message}`, 422);
    const given = body === '' ? undefined : parseJson(body);
    const parsed = (route.body ?? z.undefined()).safeParse(given);
    if (!parsed.success) return stray(`body: ${parsed.error.message}`, 422);
    try {
      return await route.handle({
        parameters,
        query: query.data as Record<string, string | undefined>,
        body: parsed.data,
        message,
        url,
      });
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    }
  }
  return stray('no such route', 404);
}

export function sendReply(response: ServerResponse, { status, body, headers = {} }: ApiReply): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(text);
}

/** Cuts one page out of a list, with GitHub's `Link` header (RFC 8288), which Gitea sends too. */
export function pageOf<T>(
  all: readonly T[],
  { url, size, page }: { readonly url: URL; readonly size: number; readonly page: number },
): { readonly items: readonly T[]; readonly headers: Record<string, string> } {
  const items = all.slice((page - 1) * size, page * size);
  if (page * size >= all.length) return { items, headers: {} };
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  return { items, headers: { link: `<${next.href}>; rel="next"` } };
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const source = pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\*(\w+)/g, '(?<$1>.+)');
  const match = new RegExp(`^${source}$`).exec(path);
  if (match === null) return undefined;
  const named = Object.entries(match.groups ?? {});
  return Object.fromEntries(named.map(([name, value]) => [name, decodeURIComponent(value)]));
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('the body of a call is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
