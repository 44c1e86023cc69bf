import { z } from 'zod';
import { type InvalidInput, Unavailable } from '../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';

/** The JSON interface of `zoekt-webserver -rpc` (its `doc/json-api.md`, `api.go`); unused fields are omitted. */
export interface ZoektClient {
  /** Runs a search. @throws InvalidInput for a query that Zoekt refuses; Unavailable with a remedy */
  search(request: ZoektSearch, timeoutMs: number, signal?: AbortSignal): Promise<ZoektResult>;
  /** Lists the repositories that match a query. @throws as `search` */
  list(query: string, timeoutMs: number, signal?: AbortSignal): Promise<readonly ListedRepository[]>;
}

export interface ZoektSearch {
  readonly query: string;
  /** `zoekt.repoid` of the repositories to search. */
  readonly repositories?: readonly number[];
  readonly options: {
    readonly MaxDocDisplayCount?: number;
    readonly MaxMatchDisplayCount?: number;
    readonly NumContextLines?: number;
    /** Nanoseconds. */
    readonly MaxWallTime?: number;
    readonly UseBM25Scoring?: boolean;
    /** Also returns the content of each file. */
    readonly Whole?: boolean;
  };
}

const bytes = z
  .base64()
  .nullish()
  .transform((text) => Buffer.from(text ?? '', 'base64'));
const count = z.number().int().nonnegative();

const symbol = z.object({ Sym: z.string(), Kind: z.string() });

const line = z.object({
  Line: bytes,
  /** 1-based; 0 for a path. */
  LineNumber: count,
  Before: bytes,
  After: bytes,
  /** True if the match is in the path, which `Line` then contains. */
  FileName: z.boolean(),
  Score: z.number(),
  /** Offsets in bytes. */
  LineFragments: z
    .array(z.object({ LineOffset: count, MatchLength: count, SymbolInfo: symbol.nullish() }))
    .nullish(),
});

const file = z.object({
  FileName: z.string(),
  Repository: z.string(),
  Version: z.string().default(''),
  Branches: z.array(z.string()).default([]),
  LineMatches: z.array(line).nullish(),
  Score: z.number().default(0),
  /** Empty unless requested by `Whole`. */
  Content: bytes,
});

const result = z.object({
  Crashes: count,
  FileCount: count,
  FilesConsidered: count,
  FilesLoaded: count,
  FilesSkipped: count,
  ShardsSkipped: count,
  Files: z.array(file).nullish(),
});

const listed = z.object({
  Repository: z.object({
    ID: count,
    Name: z.string(),
    HasSymbols: z.boolean(),
    Branches: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
  }),
  Stats: z.object({ Documents: count, ContentBytes: count }),
});

export type ZoektResult = z.infer<typeof result>;
export type ZoektFile = z.infer<typeof file>;
export type ZoektLine = z.infer<typeof line>;
export type ListedRepository = z.infer<typeof listed>;

const searchReply = z.object({ Result: result });
const listReply = z.object({ List: z.object({ Repos: z.array(listed).nullish() }) });
const refusal = z.object({ Error: z.string() });

/**
 * Limits on matches per shard and overall, beyond which Zoekt would omit the rest. Set higher than any result needs.
 */
const limits = { ShardMaxMatchCount: 1_000_000, TotalMaxMatchCount: 10_000_000 };
/** Maximum size of a response, in bytes; matching lines are base64. */
const maxBytes = 32 * 1024 * 1024;

/** Opens a client. `url` is CODESEARCH_URL, set by the operator and used as written. */
export function openZoektClient(http: HttpClient, url: string): ZoektClient {
  const base = withoutEnd(url, '/');
  const post = (path: string, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown> =>
    exchange(http, `${base}${path}`, body, timeoutMs, signal);
  return {
    async search({ query, repositories, options }, timeoutMs, signal) {
      const body = { Q: query, RepoIDs: repositories, Opts: { ...limits, ...options } };
      return parsed(searchReply, await post('/api/search', body, timeoutMs, signal)).Result;
    },
    async list(query, timeoutMs, signal) {
      return parsed(listReply, await post('/api/list', { Q: query }, timeoutMs, signal)).List.Repos ?? [];
    },
  };
}

async function exchange(
  http: HttpClient,
  url: string,
  body: unknown,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request = {
    url,
    destination: 'operator',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs,
    maxBytes,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  const response = await http
    .request(request)
    .catch((error: unknown) => {
      // Zoekt may have closed an idle connection just then. A search changes nothing, so it is sent once more.
      if (error instanceof OutboundError && error.reason === 'unreachable') return http.request(request);
      throw error;
    })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? noResponse(error) : error;
    });
  const json = readJson(response.body);
  if (response.status === 200 && json !== undefined) return json;
  const reply = refusal.safeParse(json);
  if (response.status === 400 && reply.success) throw refused(reply.data.Error);
  if (response.status === 404) {
    throw new Unavailable(
      'codesearch_answer',
      'The server at CODESEARCH_URL has no search interface. Start zoekt-webserver with -rpc.',
    );
  }
  throw notZoekt({ status: response.status, error: reply.data?.Error });
}

function parsed<T>(schema: z.ZodType<T>, json: unknown): T {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  throw notZoekt({ issues: read.error.issues.slice(0, 5) }, read.error);
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function refused(reason: string): InvalidInput {
  const message = `Zoekt refused this query: ${reason.slice(0, 300)}.`;
  return invalidField('q', message, message);
}

function noResponse(cause: OutboundError): Unavailable {
  if (cause.reason === 'too_large') {
    const message = 'The response is too large. Narrow the query, or request fewer files at once.';
    return new Unavailable('codesearch_answer', message, { cause });
  }
  const timedOut = cause.reason === 'timeout';
  return new Unavailable(
    timedOut ? 'codesearch_timeout' : 'codesearch_unreachable',
    `Code search is unavailable: Zoekt ${timedOut ? 'did not answer in time' : 'cannot be reached'}. Check that zoekt-webserver runs and that CODESEARCH_URL is its address.`,
    { cause, retryAfter: 5 },
  );
}

/** Returns whether Zoekt did not respond in time, so that it may still be running the search. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Unavailable && error.code === 'codesearch_timeout';
}

function notZoekt(detail: Readonly<Record<string, unknown>>, cause?: unknown): Unavailable {
  return new Unavailable(
    'codesearch_answer',
    'The server at CODESEARCH_URL does not respond like zoekt-webserver. Check the address and the version of zoekt-webserver.',
    { detail, cause },
  );
}
