import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError, Forbidden, Unauthenticated } from '../../foundation/kernel/errors.ts';
import type { HttpResponse } from '../../foundation/net/http.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { loginHint } from '../login-hint.ts';
import { parseJson } from '../parse-json.ts';
import {
  type LoginEndpoints,
  type LoginService,
  mayPass,
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
  // Seconds, within what a person waits for: more would overflow a timer.
  expires_in: z.number().positive().max(86_400),
  interval: z.number().nonnegative().max(300).default(5),
});

/** A sign-in that waits for a person. */
export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  /** Where the person types the code. */
  readonly page: string;
  /** The same page with the code filled in; it asks all the same. */
  readonly pageWithCode: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly expiresAt: number;
  readonly intervalMs: number;
}

/** A service that names no pause is not asked without one. */
const leastPauseMs = 100;

/** @throws ExternalServiceError, RateLimited, OutboundError */
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
    throw new ExternalServiceError(baseUrl, `${baseUrl} gave no code to confirm.`, { retryable: false });
  }
  const { verification_uri: page, verification_uri_complete: pageWithCode = page, ...given } = answer.data;
  // They are shown and opened in a browser: no scheme but the service's own.
  for (const url of [page, pageWithCode]) requireOwnOrigin(url, baseUrl);
  return {
    deviceCode: given.device_code,
    userCode: given.user_code,
    page,
    pageWithCode,
    expiresAt: clock() + given.expires_in * 1_000,
    intervalMs: Math.max(leastPauseMs, given.interval * 1_000),
  };
}

export interface PollDeps {
  readonly service: LoginService;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Waits so many milliseconds. @throws the reason of the signal */
  readonly pause?: (ms: number) => Promise<unknown>;
}

const slowDownMs = 5_000;
const longestPauseMs = 30_000;
/** About its end a service may know the code no more, rather than know that it has expired. */
const forgottenMs = 10_000;

/**
 * Asks until the person has decided (RFC 8628 sections 3.4 and 3.5). Faults of the network and of the service are
 * waited out, ever more slowly, until the code expires.
 * @throws Forbidden when the person said no, OutboundError `timeout` when nobody confirmed in time
 */
export async function pollForTokens(
  deps: PollDeps,
  endpoints: LoginEndpoints,
  code: DeviceCode,
): Promise<LoginTokens> {
  const { service, clock, signal } = deps;
  const pause = deps.pause ?? ((ms) => sleep(ms, undefined, { signal }));
  let interval = code.intervalMs;
  let faults = 0;
  for (;;) {
    const wanted = Math.min(interval * 2 ** faults, Math.max(interval, longestPauseMs));
    const left = code.expiresAt - clock();
    if (left <= 0) throw tooLate(service);
    await pause(Math.min(wanted, left));
    const response = await askForTokens(deps, endpoints, code);
    if (response?.status === 200) return readTokens(response, service.baseUrl, clock);
    const error = response && oauthErrorOf(response);
    faults = isPassing(response, error) ? faults + 1 : 0;
    if (error === 'slow_down') interval += slowDownMs;
    else if (faults === 0 && response && error !== 'authorization_pending') {
      const isOver = clock() >= code.expiresAt - forgottenMs;
      throw isOver && error === 'invalid_grant' ? tooLate(service) : refused(response, error, service);
    }
  }
}

/** `undefined` when no answer came, which may pass. */
async function askForTokens(
  { service, signal }: PollDeps,
  endpoints: LoginEndpoints,
  { deviceCode }: DeviceCode,
): Promise<HttpResponse | undefined> {
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
  };
  try {
    return await postForm(service.http, endpoints.token, fields, signal);
  } catch (error) {
    if (mayPass(error)) return undefined;
    throw error;
  }
}

/** No answer, overload, a restart behind a proxy. */
function isPassing(response: HttpResponse | undefined, error: string | undefined): boolean {
  if (response === undefined) return true;
  return error === undefined && (response.status === 429 || response.status >= 500);
}

function refused(response: HttpResponse, error: string | undefined, service: LoginService): Error {
  if (error === 'access_denied') {
    return new Forbidden('forbidden', 'The sign-in was denied in the browser. Nothing was saved.');
  }
  if (error === 'expired_token') return tooLate(service);
  if (error === 'invalid_grant') {
    const words = `The code no longer counts. Start again: ${loginHint(service.baseUrl)}`;
    return new Unauthenticated('invalid_token', words);
  }
  return oauthFailure(response, service.baseUrl);
}

function tooLate({ baseUrl }: LoginService): OutboundError {
  return new OutboundError(new URL(baseUrl).host, 'timeout', 'The code expired before it was confirmed.', {
    hint: `Start again: ${loginHint(baseUrl)}`,
  });
}
