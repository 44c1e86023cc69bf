import { z } from 'zod';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError, Unauthenticated } from '../../foundation/kernel/errors.ts';
import type { HttpResponse } from '../../foundation/net/http.ts';
import { loginHint } from '../login-hint.ts';
import { parseJson } from '../parse-json.ts';
import {
  discoverLogin,
  type LoginService,
  mayPass,
  oauthErrorOf,
  oauthFailure,
  postForm,
} from './endpoints.ts';
import type { StoredLogin } from './stored-login.ts';

/** RFC 6749 section 5.1. Tokens go into headers, so they are made of what RFC 6750 section 2.1 allows. */
const token = z.string().regex(/^[\w.~+/-]+=*$/);
const tokensShape = z.object({
  access_token: token,
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive(),
  refresh_token: token,
  scope: z.string().optional(),
});

export type LoginTokens = Pick<
  StoredLogin,
  'accessToken' | 'accessTokenExpiresAt' | 'accessTokenLifetime' | 'refreshToken' | 'scopes'
>;

/** What the login asks for: REST, and tokens that outlive the first hour. Never /mcp (specification: Authentication 5). */
export const loginScopes = ['api', 'offline_access'] as const;

/** @throws ExternalServiceError for an answer that holds no tokens */
export function readTokens(response: HttpResponse, baseUrl: string, clock: Clock): LoginTokens {
  const answer = tokensShape.safeParse(parseJson(response.body));
  if (!answer.success) {
    throw new ExternalServiceError(baseUrl, `${baseUrl} answered the sign-in without tokens.`, {
      retryable: false,
    });
  }
  const { access_token, refresh_token, expires_in, scope } = answer.data;
  const lifetime = Math.round(expires_in * 1_000);
  return {
    accessToken: access_token,
    accessTokenExpiresAt: clock() + lifetime,
    accessTokenLifetime: lifetime,
    refreshToken: refresh_token,
    scopes: scope?.split(' ') ?? [...loginScopes],
  };
}

/**
 * Changes a refresh token for new tokens. It runs to its end whatever happens around it, since the service may have
 * used the token up already; an answer that was lost is asked for again at once, while REFRESH_GRACE lasts.
 * @throws Unauthenticated when the login has ended; OutboundError and others when it may still be good
 */
export async function refreshTokens(
  service: LoginService,
  refreshToken: string,
  clock: Clock,
): Promise<LoginTokens> {
  const endpoints = await discoverLogin(service);
  const ask = () =>
    postForm(service.http, endpoints.token, { grant_type: 'refresh_token', refresh_token: refreshToken });
  const response = await ask().catch((error: unknown) => {
    if (mayPass(error)) return ask();
    throw error;
  });
  if (response.status === 200) return readTokens(response, service.baseUrl, clock);
  if (oauthErrorOf(response) === 'invalid_grant') throw loginEnded(service.baseUrl);
  throw oauthFailure(response, service.baseUrl);
}

/** Ends the grant behind a refresh token (RFC 7009). @throws when the service could not be told */
export async function revokeLogin(
  service: LoginService,
  refreshToken: string,
  signal: AbortSignal,
): Promise<void> {
  const { revocation } = await discoverLogin(service, signal);
  const fields = { token: refreshToken, token_type_hint: 'refresh_token' };
  const response = await postForm(service.http, revocation, fields, signal);
  if (response.status !== 200) throw oauthFailure(response, service.baseUrl);
}

function loginEnded(baseUrl: string): Unauthenticated {
  return new Unauthenticated(
    'invalid_token',
    `The login at ${baseUrl} has ended: it expired, or was revoked. Sign in again: ${loginHint(baseUrl)}`,
  );
}
