import type { HttpClient, HttpRequest, HttpResponse } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { type CheckOutcome, fail } from './report.ts';

/** What the checks share. */
export interface Probe {
  readonly http: HttpClient;
  readonly target: URL;
  readonly signal: AbortSignal;
}

/** Each request gives up after this long; a healthy instance answers in milliseconds. */
const timeoutMs = 10_000;

export type Reply = { readonly response: HttpResponse } | { readonly fault: CheckOutcome };

/**
 * Sends one request as an operator's tool does: the address as written, no credentials, no redirects (a redirect
 * is itself a finding), certificates verified.
 */
export async function send(
  probe: Probe,
  request: Omit<HttpRequest, 'destination' | 'signal'>,
): Promise<Reply> {
  try {
    const options = { timeoutMs, destination: 'operator', signal: probe.signal, ...request } as const;
    return { response: await probe.http.request(options) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: unreachable(error, request.url) };
  }
}

function unreachable(error: OutboundError, url: string): CheckOutcome {
  return fail(error.message, error.hint ?? hints[error.reason] ?? 'Is this the address that clients see?', {
    url,
    reason: error.reason,
  });
}

/** specification, Errors: "Status unreachable or timed out: Backend, DNS, TLS or an untrusted CA." */
const hints: Readonly<Partial<Record<OutboundError['reason'], string>>> = {
  dns: 'The host name has no address: check DNS and the spelling of the URL.',
  refused: 'Nothing listens there: start the backend (orgctx serve) or check the port and the reverse proxy.',
  unreachable: 'The connection broke: check the network, the firewall and the reverse proxy.',
  timeout:
    'The backend, DNS or TLS did not answer in time: look at the log of orgctx serve and at the proxy.',
  tls: 'For a private CA set NODE_EXTRA_CA_CERTS to the CA file; never turn verification off.',
};

/** A redirect where none belongs: clients do not follow it with a POST or on discovery. */
export function redirected(response: HttpResponse): CheckOutcome | undefined {
  if (response.status < 300 || response.status > 399) return undefined;
  return fail(
    `The server redirects (${response.status}).`,
    'MCP clients do not follow redirects here: use the final address, and set AUTH_BASE_URL to it.',
    { status: response.status, location: response.headers['location'] ?? null },
  );
}

/** The body as a JSON object, or `undefined` for anything else. */
export function jsonObject(response: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(response.body));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
