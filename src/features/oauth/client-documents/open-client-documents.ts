import { errors } from 'oidc-provider';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { HttpClient, HttpResponse } from '../../../foundation/net/http.ts';
import { OutboundError, RefusedDestination } from '../../../foundation/net/outbound-error.ts';
import { documentLifetime } from './document-lifetime.ts';
import { type DocumentedClient, readClientDocument } from './read-client-document.ts';
import { readingLimits } from './reading-limits.ts';

/** Clients that describe themselves at the URL which is their id. */
export interface ClientDocuments {
  /**
   * What the document of `clientId` (an `isClientIdUrl`) says, read anew when its time is over.
   * @throws errors.InvalidClientMetadata for a document that is refused, errors.InvalidClient where there is none,
   * errors.TemporarilyUnavailable where nothing answers now. None is remembered (draft section 5.2), but for a moment
   * that a host did not answer.
   * @param sender address of whoever names the client; undefined where it named itself before
   */
  find(clientId: string, sender?: string): Promise<DocumentedClient>;
}

export interface ClientDocumentsDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
}

const timeoutMs = 5_000;
const maxBytes = 64 * 1024;

/** Documents kept; the least recently used go first. */
const maxKept = 500;

/** How long a document may stand in while its host is away, from when it was read. */
const outageMs = 24 * 3_600_000;

/** Between two looks for a host that is away, while its last document stands in. */
const outageRetryMs = 60_000;

interface Kept {
  readonly client: DocumentedClient;
  readonly readAt: number;
  readonly freshUntil: number;
}

/**
 * Only documents that passed every check are kept, under the URL that they were asked from and name themselves: nobody
 * can put one in another's place.
 */
export function openClientDocuments(deps: ClientDocumentsDeps): ClientDocuments {
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<Kept>>();
  const limits = readingLimits({ clock: deps.clock, refuse });

  async function readOnce(clientId: string, sender: string | undefined): Promise<Kept> {
    const underWay = reading.get(clientId);
    if (underWay !== undefined) return underWay;
    const { host } = new URL(clientId);
    const read = limits
      .run({ host, sender }, () => readDocument(deps, clientId))
      .finally(() => reading.delete(clientId));
    reading.set(clientId, read);
    return read;
  }

  function keep(clientId: string, document: Kept): DocumentedClient {
    kept.delete(clientId);
    kept.set(clientId, document);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return document.client;
  }

  return {
    async find(clientId, sender) {
      const known = kept.get(clientId);
      const now = deps.clock();
      if (known !== undefined && now < known.freshUntil && now >= known.readAt) return keep(clientId, known);
      try {
        return keep(clientId, await readOnce(clientId, sender));
      } catch (error) {
        if (known === undefined || !isOutage(error) || now - known.readAt >= outageMs) {
          kept.delete(clientId);
          throw error;
        }
        return keep(clientId, { ...known, freshUntil: now + outageRetryMs });
      }
    },
  };
}

/** The host is away: what it said before still stands. What it says now counts, be it that there is no document. */
function isOutage(error: unknown): boolean {
  return error instanceof errors.TemporarilyUnavailable;
}

async function readDocument({ http, clock }: ClientDocumentsDeps, clientId: string): Promise<Kept> {
  const answer = await request(http, clientId);
  if (answer.status >= 500 || answer.status === 429) {
    throw unavailable(`the client metadata document was answered with status ${answer.status}`);
  }
  if (answer.status !== 200) {
    throw missing(`the client metadata document was answered with status ${answer.status}, not 200`);
  }
  if (!isJson(answer.headers['content-type'] ?? '')) {
    throw missing('the client metadata document must be served as application/json');
  }
  const readAt = clock();
  return {
    client: readClientDocument(clientId, new TextDecoder().decode(answer.body)),
    readAt,
    freshUntil: readAt + documentLifetime(answer.headers, readAt),
  };
}

/** The URL comes from whoever asks: https and public only, and a redirect is no document (draft section 5). */
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
    throw failure(error);
  }
}

function failure(error: unknown): unknown {
  if (error instanceof RefusedDestination) return missing(error.message, error);
  if (!(error instanceof OutboundError)) return error;
  const message = `the client metadata document could not be read: ${error.message}`;
  return error.retryable ? unavailable(message, error) : missing(message, error);
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json$/i.test(contentType.split(';')[0]?.trim() ?? '');
}

function missing(description: string, cause?: unknown): errors.InvalidClient {
  return new errors.InvalidClient(description, { cause });
}

function refuse(reason: string): Error {
  return unavailable(`${reason}: try again in a few seconds`);
}

function unavailable(description: string, cause?: unknown): errors.TemporarilyUnavailable {
  return new errors.TemporarilyUnavailable(description, { cause });
}
