import { describe, expect, it } from 'vitest';
import {
  type InstanceRoutes,
  resourcePath,
  serverMetadata,
  serverPath,
} from '../../../../test/standins/mcp-instance.ts';
import {
  challenge,
  checkOf,
  diagnoseBroken,
  resource,
  server,
} from '../../../../test/support/program/diagnose.ts';
import type { CheckId } from './report.ts';

describe('an instance with a minor defect passes with a warning', () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
  const status = (body: object, headers = {}): InstanceRoutes => ({
    '/.status': () => ({ status: 200, headers, body: { status: 'ok', ...body } }),
  });
  const ahead = at(90);
  const cases: readonly [string, InstanceRoutes, CheckId, RegExp, RegExp][] = [
    ['no timestamp', status({}), 'backend-status', /no timestamp/, /up to date/],
    ['a clock ahead', status({ timestamp: ahead }), 'backend-status', /\d\d seconds ahead/, /NTP/],
    [
      'a Date behind',
      status({ timestamp: at(0) }, { date: at(-90).toUTCString() }),
      'backend-status',
      /(?:89|9\d) seconds behind/,
      /NTP/,
    ],
    ['GET /mcp answering 200', { 'GET /mcp': () => ({ status: 200 }) }, 'oauth-challenge', /200/, /at once/],
    [
      'a challenge without scope',
      challenge((metadata) => `Bearer resource_metadata="${metadata}"`),
      'oauth-challenge',
      /no scope/,
      /too little/,
    ],
    [
      'a challenge with offline_access',
      challenge((metadata) => `Bearer resource_metadata="${metadata}", scope="mcp offline_access"`),
      'oauth-challenge',
      /offline_access/,
      /no scope of a resource/,
    ],
    [
      'metadata at another place',
      challenge((metadata) => `Bearer resource_metadata="${metadata}/", scope="mcp"`),
      'oauth-challenge',
      /well-known address/,
      /two documents/,
    ],
    [
      'metadata of another media type',
      {
        [serverPath]: (origin) => ({
          status: 200,
          headers: { 'content-type': 'text/plain' },
          body: serverMetadata(origin),
        }),
      },
      'authorization-server',
      /application\/json/,
      /Content-Type/,
    ],
    [
      'no metadata at the root',
      { [resourcePath]: () => ({ status: 404 }) },
      'protected-resource',
      /does not answer/,
      /all of \/.well-known\//,
    ],
    [
      'a resource that lists offline_access',
      resource(() => ({ scopes_supported: ['mcp', 'offline_access'] })),
      'protected-resource',
      /offline_access/,
      /no scope of a resource/,
    ],
    [
      'tokens only in the body',
      resource(() => ({ bearer_methods_supported: ['body'] })),
      'protected-resource',
      /Authorization header/,
      /there only/,
    ],
    [
      'responses without iss',
      server(() => ({ authorization_response_iss_parameter_supported: undefined })),
      'authorization-server',
      /do not name the issuer/,
      /RFC 9207/,
    ],
    [
      'no refresh tokens',
      server(() => ({ grant_types_supported: ['authorization_code'] })),
      'authorization-server',
      /no refresh tokens/,
      /sign in again/,
    ],
    [
      'only confidential clients',
      server(() => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
      'authorization-server',
      /without a secret/,
      /no client secret/,
    ],
  ];

  it.each(cases)('%s', async (_case, broken, id, message, hint) => {
    const report = await diagnoseBroken(broken);
    expect(checkOf(report, id)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(report.status).toBe('warning');
  });

  it('a GET /mcp that hangs', async () => {
    const report = await diagnoseBroken({ 'GET /mcp': () => 'hangs' }, { timeoutMs: 300 });
    expect(checkOf(report, 'oauth-challenge')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/GET \/mcp fails/),
    });
  });

  it('several defects found by one check are reported together', async () => {
    const report = await diagnoseBroken(
      server(() => ({
        grant_types_supported: ['authorization_code'],
        token_endpoint_auth_methods_supported: [],
      })),
    );
    expect(checkOf(report, 'authorization-server').message).toMatch(/no refresh tokens.*without a secret/);
  });

  it('a clock that is off by half a minute is not reported', async () => {
    const report = await diagnoseBroken(status({ timestamp: at(-29) }));
    expect(checkOf(report, 'backend-status')).toMatchObject({ status: 'pass' });
  });
});
