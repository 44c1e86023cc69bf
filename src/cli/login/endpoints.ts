import { z } from 'zod';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/visible-text.ts';
import type { HttpClient, HttpResponse } from '../../foundation/net/http.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { parseJson } from '../parse-json.ts';
import { problemError } from '../problem-error.ts';

/** The client that every deployment knows (contract section 4); it is public, so it has no secret. */
const loginClientId = 'orgctx-cli';

/** How a service is spoken to about sign-in. */
export interface LoginService {
  readonly http: HttpClient;
  /** Its origin. */
  readonly baseUrl: string;
}

/** The endpoints of RFC 8414 that a login needs. All lie on the service's own origin. */
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
 * Reads the metadata of the authorization server. Its issuer must be the origin that was asked (RFC 8414 section
 * 3.3), and no endpoint may lie elsewhere: tokens go to the service that the person named, to nobody else.
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
    throw unlikeOrgctx(baseUrl, `${baseUrl} does not offer sign-in from a terminal.`, metadata.error);
  }
  const { issuer, token_endpoint, device_authorization_endpoint, revocation_endpoint } = metadata.data;
  if (issuer !== baseUrl) {
    throw unlikeOrgctx(baseUrl, `${baseUrl} calls itself ${issuer}. Give that address as --url.`);
  }
  const endpoints = {
    token: token_endpoint,
    deviceAuthorization: device_authorization_endpoint,
    revocation: revocation_endpoint,
  };
  for (const url of Object.values(endpoints)) requireOwnOrigin(url, baseUrl);
  return endpoints;
}

/** @throws ExternalServiceError for a URL that is not of this service */
export function requireOwnOrigin(url: string, baseUrl: string): void {
  if (URL.parse(url)?.origin === baseUrl) return;
  throw unlikeOrgctx(baseUrl, `${baseUrl} names an address of another service for sign-in: ${url}`);
}

/** One POST of a form as the public client of the command line. Every status is an answer. */
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
    body: new URLSearchParams({ client_id: loginClientId, ...fields }).toString(),
    timeoutMs,
    maxBytes,
    ...(signal && { signal }),
  });
}

/** Whether no answer came for now. An answer that is cut off in the middle counts as bad HTTP, and passes as well. */
export function mayPass(error: unknown): boolean {
  return error instanceof OutboundError && (error.retryable || error.reason === 'protocol');
}

/** The code of an OAuth error answer (RFC 6749 section 5.2); `undefined` for anything else. */
export function oauthErrorOf({ status, body }: HttpResponse): string | undefined {
  if (status < 400 || status > 499) return undefined;
  return errorShape.safeParse(parseJson(body)).data?.error;
}

/** What a refused or strange answer of an OAuth endpoint is told as. */
export function oauthFailure(response: HttpResponse, baseUrl: string): Error {
  const { error, error_description: words } = errorShape.safeParse(parseJson(response.body)).data ?? {};
  if (error === undefined) return problemError(response, baseUrl);
  // On one line: what a service says forges no line of ours.
  return unlikeOrgctx(baseUrl, visibleLine(`${baseUrl} refused: ${words ?? error} (${error})`));
}

function unlikeOrgctx(baseUrl: string, message: string, cause?: unknown): ExternalServiceError {
  return new ExternalServiceError(baseUrl, message, { retryable: false, cause });
}
