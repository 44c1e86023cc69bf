import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../test/support/http/http-server.ts';

describe('protected-resource metadata', async () => {
  const http = await useTestHttp({ http: { trustProxy: true } });

  it.each([
    ['/.well-known/oauth-protected-resource/mcp', 'https://ctx.example/mcp', ['mcp']],
    ['/.well-known/oauth-protected-resource', 'https://ctx.example', ['api']],
  ])('%s returns the resource %s and its authorization server', async (url, resource, scopes) => {
    const answer = await http.server.inject(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect(answer.json()).toEqual({
      resource,
      authorization_servers: ['https://ctx.example'],
      bearer_methods_supported: ['header'],
      scopes_supported: scopes,
      resource_name: expect.any(String),
    });
  });

  it.each([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    { forwarded: 'host=evil.example;proto=http' },
    { 'x-forwarded-port': '8443', 'x-forwarded-prefix': '/evil', host: 'ctx.example:1' },
  ])('does not depend on the host of the request: %j', async (headers) => {
    const url = '/.well-known/oauth-protected-resource/mcp';
    const plain = await http.server.inject(url);
    const hostile = await http.server.inject({ url, headers });
    expect(hostile.body).toBe(plain.body);
    const challenge = await http.server.inject({ url: '/acme/api/v1/repositories', headers });
    expect(challenge.headers['www-authenticate']).toContain('"https://ctx.example/.well-known/');
  });

  it('ignores the query, so that the resource never contains one', async () => {
    const answer = await http.server.inject('/.well-known/oauth-protected-resource/mcp?orgSlug=acme');
    expect(answer.json()).toMatchObject({ resource: 'https://ctx.example/mcp' });
  });

  it('can be read by pages of any origin', async () => {
    const headers = { origin: 'https://anywhere.example' };
    const answer = await http.server.inject({ url: '/.well-known/oauth-protected-resource/mcp', headers });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
  ])(
    '%s returns the endpoints of the authorization server, regardless of the host of the request',
    async (url) => {
      const answer = await http.server.inject({
        url,
        headers: { host: 'evil.example', origin: 'https://x.example' },
      });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.json()).toMatchObject({
        issuer: 'https://ctx.example',
        authorization_endpoint: 'https://ctx.example/.auth/authorize',
        token_endpoint: 'https://ctx.example/.auth/token',
        registration_endpoint: 'https://ctx.example/.auth/register',
        scopes_supported: ['mcp', 'api', 'offline_access'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      });
      expect(answer.body).not.toContain('evil.example');
    },
  );
});
