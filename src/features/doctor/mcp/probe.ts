import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { type CheckOutcome, fail } from './report.ts';

/** The input that all checks share. */
export interface Probe {
  readonly http: HttpClient;
  readonly target: URL;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Time-out of each request, in milliseconds. */
  readonly timeoutMs: number;
}

export type Reply = { readonly response: HttpResponse } | { readonly error: CheckOutcome };

/**
 * Sends one request to the address as written, without credentials, with verified certificates. Does not follow
 * redirects: a redirect is a failure.
 */
export async function send(
  probe: Probe,
  request: Omit<HttpRequest, 'destination' | 'signal' | 'timeoutMs'>,
): Promise<Reply> {
  try {
    const { timeoutMs, signal } = probe;
    const response = await probe.http.request({ timeoutMs, destination: 'operator', signal, ...request });
    return redirectFailure(response) ?? { response };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { error: failureOf(error, request.url) };
  }
}

/** The likely causes of a status that is unreachable or timed out (specification, Errors). */
function failureOf(error: OutboundError, url: string): CheckOutcome {
  // The error's message ends with its hint; a report separates them.
  const message = error.hint === undefined ? error.message : error.message.replace(` ${error.hint}`, '');
  const hint = error.reason === 'tls' ? `${error.hint ?? ''} ${verified}`.trim() : hints[error.reason];
  return fail(message, hint, { url: withoutQuery(url), reason: error.reason });
}

const verified = 'Verification must stay on.';

const hints: Readonly<Record<Exclude<OutboundError['reason'], 'tls'>, string>> = {
  dns: 'The host name has no address: check DNS and the spelling of the URL.',
  refused: 'Nothing listens there: start the backend (orgctx serve) or check the port and the reverse proxy.',
  unreachable: 'The connection broke: check the backend, the network, the firewall and the reverse proxy.',
  timeout:
    'The backend, DNS or TLS did not answer in time: look at the log of orgctx serve and at the reverse proxy.',
  too_large: 'Another program answers at this origin: route every path of the origin to orgctx.',
  protocol:
    'There is no HTTP server at this address, or it uses TLS: check the scheme and the port of the URL.',
};

/** Returns a failure for a redirect: clients do not follow it with a POST or on discovery. */
function redirectFailure({ status, headers }: HttpResponse): Reply | undefined {
  if (status < 300 || status > 399) return undefined;
  const { location } = headers;
  const problem = fail(
    `The server redirects (${status}).`,
    'MCP clients do not follow redirects here: give them the final address, and set AUTH_BASE_URL to its origin.',
    { status, location: location === undefined ? null : withoutQuery(visibleLine(location)) },
  );
  return { error: problem };
}

/** Removes the query and the fragment, which may contain a token. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** Returns the body as a JSON object, or `undefined` for any other body. */
export function jsonObject(response: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(response.body));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
