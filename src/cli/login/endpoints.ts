import { z } from 'zod';
import { firstPartyClientId } from '../../features/oauth/first-party-client.ts';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HttpClient, HttpResponse } from '../../foundation/net/http.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { problemError } from '../remote/problem-error.ts';

/** The service that a login belongs to, and the client for its requests. */
export interface LoginService {
  readonly http: HttpClient;
  /** The origin of the service. */
  readonly baseUrl: string;
}

/** The endpoints (RFC 8414) that a login needs. All have the origin of the service. */
export interface LoginEndpoints {
  readonly token: string;
  readonly deviceAuthorization: string;
  readonly revocation: string;
}

const metadataShape = z.object({
  issuer: z.string(),
  token_endpoint: z.url(),
  device_authorization_endpoint: z.url(),
  revocation_endpoint: z.url(),
});

const errorShape = z.object({ error: z.string(), error_description: z.string().optional() });

const timeoutMs = 15_000;
const maxBytes = 256 * 1024;

/**
 * Reads the metadata of the authorization server. Its issuer must be the requested origin (RFC 8414 section 3.3), and
 * all endpoints must have that origin, so that tokens are sent only to the service that the person named.
 * @throws ExternalServiceError, OutboundError
 */
export async function discoverLogin(
  { http, baseUrl }: LoginService,
  signal?: AbortSignal,
): Promise<LoginEndpoints> {
  const response = await http.request({
    url: `${baseUrl}/.well-known/oauth-authorization-server`,
    destination: 'operator',
    headers: { accept: 'application/json' },
    timeoutMs: 10_000,
    maxBytes,
    ...(signal && { signal }),
  });
  if (response.status !== 200) throw problemError(response, baseUrl);
  const metadata = metadataShape.safeParse(parseJson(response.body));
  if (!metadata.success) {
    throw serviceError(baseUrl, `${baseUrl} does not support sign-in from a terminal.`, metadata.error);
  }
  const { issuer, token_endpoint, device_authorization_endpoint, revocation_endpoint } = metadata.data;
  if (issuer !== baseUrl) {
    throw serviceError(baseUrl, `${baseUrl} identifies itself as ${issuer}. Use that address as --url.`);
  }
  const endpoints = {
    token: token_endpoint,
    deviceAuthorization: device_authorization_endpoint,
    revocation: revocation_endpoint,
  };
  for (const url of Object.values(endpoints)) requireOwnOrigin(url, baseUrl);
  return endpoints;
}

/** Checks that a URL has the origin of the service. @throws ExternalServiceError */
export function requireOwnOrigin(url: string, baseUrl: string): void {
  if (URL.parse(url)?.origin === baseUrl) return;
  throw serviceError(baseUrl, `${baseUrl} returned a sign-in address of another service: ${url}`);
}

/** Sends a form as the public client of the command line. Returns the response for every status. */
export function postForm(
  http: HttpClient,
  url: string,
  fields: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  return http.request({
    url,
    destination: 'operator',
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: firstPartyClientId, ...fields }).toString(),
    timeoutMs,
    maxBytes,
    ...(signal && { signal }),
  });
}

/**
 * Returns whether a network error is transient. A truncated response is invalid HTTP, and also counts as transient.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof OutboundError && (error.retryable || error.reason === 'protocol');
}

/** Returns the code of an OAuth error response (RFC 6749 section 5.2); `undefined` for any other response. */
export function oauthErrorOf({ status, body }: HttpResponse): string | undefined {
  if (status < 400 || status > 499) return undefined;
  return errorShape.safeParse(parseJson(body)).data?.error;
}

/** Creates the error for a refused or unexpected response of an OAuth endpoint. */
export function oauthFailure(response: HttpResponse, baseUrl: string): Error {
  const { error, error_description: description } = errorShape.safeParse(parseJson(response.body)).data ?? {};
  if (error === undefined) return problemError(response, baseUrl);
  // On one line, so that the text of a service cannot imitate output of the program.
  return serviceError(
    baseUrl,
    visibleLine(`${baseUrl} refused the request: ${description ?? error} (${error})`),
  );
}

function serviceError(baseUrl: string, message: string, cause?: unknown): ExternalServiceError {
  return new ExternalServiceError(baseUrl, message, { retryable: false, cause });
}
