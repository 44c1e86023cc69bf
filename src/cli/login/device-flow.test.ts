import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoginService, openLoginService } from '../../../test/standins/login-service.ts';
import { Forbidden, Unauthenticated } from '../../foundation/kernel/errors.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { type DeviceCode, pollForTokens, requestDeviceCode } from './device-flow.ts';

let service: LoginService;
let http: HttpClient;
let now: number;
/** All delays between polls, in seconds. */
let pauses: number[];

beforeEach(async () => {
  service = await openLoginService();
  http = createHttpClient({ allowHosts: [] });
  now = 1_000_000;
  pauses = [];
});
afterEach(async () => {
  await http.close();
  await service.close();
});

function poll() {
  const { url } = service;
  const code: DeviceCode = {
    deviceCode: 'dc-secret',
    userCode: 'BCDF-GHJK',
    page: `${url}/.auth/device`,
    pageWithCode: `${url}/.auth/device`,
    expiresAt: now + 600_000,
    intervalMs: 5_000,
  };
  const endpoints = { token: `${url}/.auth/token`, deviceAuthorization: '', revocation: '' };
  const deps = {
    service: { http, baseUrl: url },
    clock: () => now,
    signal: new AbortController().signal,
    pause: async (ms: number) => {
      pauses.push(ms / 1_000);
      now += ms;
    },
  };
  return pollForTokens(deps, endpoints, code);
}

const says = (error: string) => ({ status: 400, body: { error } });

describe('RFC 8628 section 3.2: the code', () => {
  it('is refused if its lifetime would overflow a timer', async () => {
    service.state.codeExpiresIn = 1e300;
    const deviceAuthorization = `${service.url}/.auth/device-authorization`;
    const endpoints = { token: '', deviceAuthorization, revocation: '' };
    const { signal } = new AbortController();
    const requested = requestDeviceCode({ http, baseUrl: service.url }, endpoints, () => now, signal);
    await expect(requested).rejects.toThrow('did not return a sign-in code');
  });

  it('prints a refusal of the service on one line', async () => {
    service.state.polls.push({
      status: 400,
      body: { error: 'invalid_client', error_description: 'no\nSigned in as root' },
    });
    await expect(poll()).rejects.toThrow('no Signed in as root');
  });
});

describe('RFC 8628 section 3.5: polling', () => {
  it('keeps the interval while the person has not decided', async () => {
    service.state.polls.push(says('authorization_pending'), says('authorization_pending'));
    const tokens = await poll();
    expect(tokens).toMatchObject({
      refreshToken: service.state.refreshToken,
      scopes: ['api', 'offline_access'],
    });
    expect(pauses).toEqual([5, 5, 5]);
  });

  it('adds five seconds permanently for each slow_down response', async () => {
    service.state.polls.push(says('slow_down'), says('authorization_pending'), says('slow_down'));
    await poll();
    expect(pauses).toEqual([5, 10, 10, 15]);
  });

  it('retries lost connections, overload and a restart with back-off, then resumes the normal interval', async () => {
    service.state.polls.push(
      'gone',
      { status: 502, body: '<html>' },
      { status: 503, body: { code: 'overloaded' } },
      { status: 429, body: {} },
      says('authorization_pending'),
    );
    await poll();
    expect(pauses).toEqual([5, 10, 20, 30, 30, 5]);
  });

  it('ends when the code expires, also after network errors', async () => {
    service.state.polls.push(...Array.from({ length: 40 }, () => 'gone' as const));
    await expect(poll()).rejects.toMatchObject({ reason: 'timeout' });
    expect(pauses.reduce((sum, pause) => sum + pause)).toBe(600);
  });

  it('treats a code that is unknown near its expiry as expired', async () => {
    const pending = Array.from({ length: 119 }, () => says('authorization_pending'));
    service.state.polls.push(...pending, says('invalid_grant'));
    await expect(poll()).rejects.toMatchObject({ reason: 'timeout' });
  });

  it.each([
    ['access_denied', Forbidden],
    ['invalid_grant', Unauthenticated],
  ])('stops at %s', async (error, kind) => {
    service.state.polls.push(says(error));
    await expect(poll()).rejects.toBeInstanceOf(kind);
    expect(pauses).toEqual([5]);
  });

  it.each([
    ['another error', says('invalid_client'), /invalid_client/],
    [
      'tokens that are none',
      { body: { access_token: 'a b', token_type: 'Bearer' } },
      /did not return tokens/,
    ],
    ['a page', { body: '<html>' }, /did not return tokens/],
  ])('stops at %s', async (_, answer, message) => {
    service.state.polls.push(answer);
    await expect(poll()).rejects.toThrow(message);
  });
});
