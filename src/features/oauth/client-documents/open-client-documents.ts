import { errors } from 'oidc-provider';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { HttpClient, HttpResponse } from '../../../foundation/net/http.ts';
import { OutboundError, RefusedDestination } from '../../../foundation/net/outbound-error.ts';
import { documentLifetime } from './document-lifetime.ts';
import type { ReadOutcome } from './document-reads.ts';
import { type DocumentedClient, readClientDocument } from './read-client-document.ts';
import { readingLimits, unconnectedCause } from './reading-limits.ts';

/** Reads the metadata documents of clients whose client id is the URL of the document. */
export interface ClientDocuments {
  /**
   * Returns the client that the document of `clientId` (an `isClientIdUrl`) describes. Reads the document again once
   * its lifetime has ended.
   * @throws errors.InvalidClientMetadata for an invalid document, errors.InvalidClient if there is no document,
   * errors.TemporarilyUnavailable if the host does not respond. Errors are not cached (draft section 5.2), except for a
   * short back-off after a time-out and after a failure to connect.
   * @param sender address of the caller who names the client; undefined if the client is already known
   */
  find(clientId: string, sender?: string): Promise<DocumentedClient>;
  /**
   * Reads the document of a known client id again, whatever is cached, and returns the outcome; `undefined` if no host
   * was contacted. Never rejects for an outcome of the read.
   */
  readAgain(clientId: string): Promise<ReadOutcome | undefined>;
}

export interface ClientDocumentsDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  /**
   * Called after each read that contacted a host, or tried to. Must not reject.
   * @param cause the reason of `unconnected`; its message is for the log only
   */
  observe(clientId: string, outcome: ReadOutcome, cause?: OutboundError): Promise<void>;
}

const timeoutMs = 5_000;
const maxBytes = 64 * 1024;

/** Maximum number of cached documents; the least recently used is evicted. */
const maxCached = 500;

/** Maximum age of a document that is used while its host is unavailable, in milliseconds. */
const outageMs = 24 * 3_600_000;

/** Delay between two requests to an unavailable host while its last document is in use, in milliseconds. */
const outageRetryMs = 60_000;

interface CachedDocument {
  readonly client: DocumentedClient;
  readonly readAt: number;
  readonly freshUntil: number;
}

/**
 * Opens a reader with a cache. The cache holds only documents that passed every check. Its key is the URL that a
 * document was read from, which the document must also name as its client id: no document can replace that of another
 * client.
 */
export function openClientDocuments(deps: ClientDocumentsDeps): ClientDocuments {
  const cache = new Map<string, CachedDocument>();
  const inFlight = new Map<string, Promise<CachedDocument>>();
  const limits = readingLimits({ clock: deps.clock, refuse });

  async function readOnce(clientId: string, sender: string | undefined): Promise<CachedDocument> {
    const current = inFlight.get(clientId);
    if (current !== undefined) return current;
    const { host } = new URL(clientId);
    const read = limits
      .run({ host, sender }, () => observedRead(deps, clientId))
      .finally(() => inFlight.delete(clientId));
    inFlight.set(clientId, read);
    return read;
  }

  function store(clientId: string, document: CachedDocument): DocumentedClient {
    cache.delete(clientId);
    cache.set(clientId, document);
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    return document.client;
  }

  return {
    async find(clientId, sender) {
      const cached = cache.get(clientId);
      const now = deps.clock();
      if (cached !== undefined && now < cached.freshUntil && now >= cached.readAt)
        return store(clientId, cached);
      try {
        return store(clientId, await readOnce(clientId, sender));
      } catch (error) {
        if (cached === undefined || !isOutage(error) || now - cached.readAt >= outageMs) {
          cache.delete(clientId);
          throw error;
        }
        return store(clientId, { ...cached, freshUntil: now + outageRetryMs });
      }
    },
    async readAgain(clientId) {
      try {
        store(clientId, await readOnce(clientId, undefined));
        return 'read';
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
}

/**
 * True if the host is unavailable, so that its last document stays valid. Any other error invalidates it.
 */
function isOutage(error: unknown): boolean {
  return error instanceof errors.TemporarilyUnavailable;
}

async function observedRead(deps: ClientDocumentsDeps, clientId: string): Promise<CachedDocument> {
  try {
    const document = await readDocument(deps, clientId);
    await deps.observe(clientId, 'read');
    return document;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome !== undefined) await deps.observe(clientId, outcome, unconnectedCause(error));
    throw error;
  }
}

/** Returns `undefined` for a URL that may not be called and for a read that a limit refused. */
function outcomeOf(error: unknown): ReadOutcome | undefined {
  if (!(error instanceof errors.OIDCProviderError) || error instanceof ReadRefused) return undefined;
  if (error.cause instanceof RefusedDestination) return undefined;
  return unconnectedCause(error) === undefined ? 'failed' : 'unconnected';
}

async function readDocument({ http, clock }: ClientDocumentsDeps, clientId: string): Promise<CachedDocument> {
  const response = await request(http, clientId);
  if (response.status >= 500 || response.status === 429) {
    throw unavailable(`the request for the client metadata document failed with status ${response.status}`);
  }
  if (response.status !== 200) {
    throw missing(`the request for the client metadata document returned status ${response.status}, not 200`);
  }
  if (!isJson(response.headers['content-type'] ?? '')) {
    throw missing('the client metadata document must be served as application/json');
  }
  const readAt = clock();
  return {
    client: readClientDocument(clientId, new TextDecoder().decode(response.body)),
    readAt,
    freshUntil: readAt + documentLifetime(response.headers, readAt),
  };
}

/**
 * Requests the document. The caller chose the URL, so only public https hosts are allowed and no redirects (draft
 * section 5).
 */
async function request(http: HttpClient, clientId: string): Promise<HttpResponse> {
  try {
    return await http.request({
      url: clientId,
      destination: 'tenant',
      headers: { accept: 'application/json' },
      timeoutMs,
      maxBytes,
    });
  } catch (error) {
    throw failure(error, new URL(clientId).host);
  }
}

/** Converts an error of the request. Anybody can cause one, so that it says nothing of the operator's proxy. */
function failure(error: unknown, host: string): unknown {
  if (error instanceof RefusedDestination) return missing(error.message, error);
  if (!(error instanceof OutboundError)) return error;
  const reason = error.isOfProxy ? `this service could not reach ${host}` : error.message;
  const message = `the client metadata document could not be read: ${reason}`;
  return error.retryable ? unavailable(message, error) : missing(message, error);
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json$/i.test(contentType.split(';')[0]?.trim() ?? '');
}

function missing(description: string, cause?: unknown): errors.InvalidClient {
  return new errors.InvalidClient(description, { cause });
}

/** A read that a limit refused. */
class ReadRefused extends errors.TemporarilyUnavailable {}

function refuse(reason: string): Error {
  return new ReadRefused(`${reason}: try again in a few seconds`);
}

function unavailable(description: string, cause?: unknown): errors.TemporarilyUnavailable {
  return new errors.TemporarilyUnavailable(description, { cause });
}
