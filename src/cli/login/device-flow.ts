import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { deviceGrant } from '../../features/oauth/supported.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError, Forbidden, Unauthenticated } from '../../foundation/kernel/errors.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HttpResponse } from '../../foundation/net/http.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { loginHint } from '../remote/login-hint.ts';
import {
  isTransient,
  type LoginEndpoints,
  type LoginService,
  oauthErrorOf,
  oauthFailure,
  postForm,
  requireOwnOrigin,
} from './endpoints.ts';
import { type LoginTokens, loginScopes, readTokens } from './tokens.ts';

/** RFC 8628 section 3.2. */
const deviceAnswer = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.url(),
  verification_uri_complete: z.url().optional(),
  // In seconds. Limited to a day, because a larger value could overflow a timer.
  expires_in: z.number().positive().max(86_400),
  interval: z.number().nonnegative().max(300).default(5),
});

/** A pending sign-in that a person must confirm. */
export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  /** URL of the page where the person enters the code. */
  readonly page: string;
  /** URL of the same page with the code filled in; the person must still confirm it. */
  readonly pageWithCode: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly expiresAt: number;
  readonly intervalMs: number;
}

/** Minimum delay between two polls, in milliseconds, even if the service requests none. */
const minPauseMs = 100;

/** Requests a device code (RFC 8628 section 3.1). @throws ExternalServiceError, RateLimited, OutboundError */
export async function requestDeviceCode(
  { http, baseUrl }: LoginService,
  endpoints: LoginEndpoints,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeviceCode> {
  const scope = loginScopes.join(' ');
  const response = await postForm(http, endpoints.deviceAuthorization, { scope }, signal);
  if (response.status !== 200) throw oauthFailure(response, baseUrl);
  const answer = deviceAnswer.safeParse(parseJson(response.body));
  if (!answer.success) {
    throw new ExternalServiceError(baseUrl, `${baseUrl} did not return a sign-in code.`, {
      retryable: false,
    });
  }
  const { verification_uri: page, verification_uri_complete: pageWithCode = page, ...given } = answer.data;
  // The URLs are opened in a browser, so they must have the origin of the service.
  for (const url of [page, pageWithCode]) requireOwnOrigin(url, baseUrl);
  return {
    deviceCode: given.device_code,
    userCode: given.user_code,
    page,
    pageWithCode,
    expiresAt: clock() + given.expires_in * 1_000,
    intervalMs: Math.max(minPauseMs, given.interval * 1_000),
  };
}

export interface PollDeps {
  readonly service: LoginService;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Waits for `ms` milliseconds. @throws the reason of the signal */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const slowDownMs = 5_000;
const maxPauseMs = 30_000;
/** Near the expiry, in milliseconds, an unknown code counts as expired, because the service may have deleted it. */
const expiryToleranceMs = 10_000;

/**
 * Polls until the person has decided (RFC 8628 sections 3.4 and 3.5). Errors of the network and of the service are
 * retried with increasing back-off until the code expires.
 * @throws Forbidden if the person denied, OutboundError `timeout` if nobody confirmed in time
 */
export async function pollForTokens(
  deps: PollDeps,
  endpoints: LoginEndpoints,
  code: DeviceCode,
): Promise<LoginTokens> {
  const { service, clock, signal } = deps;
  const pause = deps.pause ?? ((ms) => sleep(ms, undefined, { signal }));
  let interval = code.intervalMs;
  let errors = 0;
  for (;;) {
    const wanted = Math.min(interval * 2 ** errors, Math.max(interval, maxPauseMs));
    const left = code.expiresAt - clock();
    if (left <= 0) throw codeExpired(service);
    await pause(Math.min(wanted, left));
    const response = await askForTokens(deps, endpoints, code);
    if (response?.status === 200) return readTokens(response, service.baseUrl, clock);
    const error = response && oauthErrorOf(response);
    errors = isTransientResponse(response, error) ? errors + 1 : 0;
    if (error === 'slow_down') interval += slowDownMs;
    else if (errors === 0 && response && error !== 'authorization_pending') {
      const isOver = clock() >= code.expiresAt - expiryToleranceMs;
      throw isOver && error === 'invalid_grant' ? codeExpired(service) : refused(response, error, service);
    }
  }
}

/** Sends one token request; `undefined` after a transient network error. */
async function askForTokens(
  { service, signal }: PollDeps,
  endpoints: LoginEndpoints,
  { deviceCode }: DeviceCode,
): Promise<HttpResponse | undefined> {
  const fields = {
    grant_type: deviceGrant,
    device_code: deviceCode,
  };
  try {
    return await postForm(service.http, endpoints.token, fields, signal);
  } catch (error) {
    if (isTransient(error)) return undefined;
    throw error;
  }
}

/** Returns whether a retry may help: no response, overload, or a restart behind a proxy. */
function isTransientResponse(response: HttpResponse | undefined, error: string | undefined): boolean {
  if (response === undefined) return true;
  return error === undefined && (response.status === 429 || response.status >= 500);
}

function refused(response: HttpResponse, error: string | undefined, service: LoginService): Error {
  if (error === 'access_denied') {
    return new Forbidden('forbidden', 'The sign-in was denied in the browser. Nothing was saved.');
  }
  if (error === 'expired_token') return codeExpired(service);
  if (error === 'invalid_grant') {
    const message = `The code is no longer valid. Start again: ${loginHint(service.baseUrl)}`;
    return new Unauthenticated('invalid_token', message);
  }
  return oauthFailure(response, service.baseUrl);
}

function codeExpired({ baseUrl }: LoginService): OutboundError {
  return new OutboundError(new URL(baseUrl).host, 'timeout', 'The code expired before it was confirmed.', {
    hint: `Start again: ${loginHint(baseUrl)}`,
  });
}
