import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority } from '../standins/certificate-authority.ts';
import { orgctx } from '../support/program.ts';

interface Report {
  readonly status: string;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly hint?: string }[];
}

/** A healthy instance behind https, whose certificate a private authority issued. */
let server: Server;
let authority: CertificateAuthority;
let mcpUrl: string;
const asked: { readonly path: string; readonly authorization: unknown; readonly body: string }[] = [];

beforeAll(async () => {
  authority = createCertificateAuthority();
  server = createServer(authority.issue(['127.0.0.1']), (request, response) => {
    void textOf(request).then((body) => {
      const path = request.url ?? '';
      asked.push({ path, authorization: request.headers.authorization, body });
      const [status, headers, answer] = answerTo(path, new URL(mcpUrl).origin);
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mcpUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});

afterAll(() => {
  server?.close();
});

function answerTo(path: string, origin: string): [number, Record<string, string>, object] {
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  if (path === '/mcp') return [401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }, {}];
  if (path === '/.status') return [200, {}, { status: 'ok', timestamp: new Date().toISOString() }];
  if (path.startsWith('/.well-known/oauth-protected-resource')) {
    return [200, {}, { resource: `${origin}/mcp`, authorization_servers: [origin] }];
  }
  const endpoints = { authorization_endpoint: origin, token_endpoint: origin, registration_endpoint: origin };
  return [200, {}, { issuer: origin, ...endpoints }];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function diagnose(env: Record<string, string>): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await orgctx(['doctor', 'mcp', '--url', mcpUrl, '--json'], { env });
  return { code, report: JSON.parse(stdout) as Report };
}

describe('orgctx doctor mcp over https', () => {
  it('is ready for OAuth when every check passes, and exits 0', async () => {
    const { code, report } = await diagnose({ NODE_EXTRA_CA_CERTS: authority.file });
    expect([code, report.status]).toEqual([0, 'ready-for-oauth']);
    expect(report.checks.map(({ id, status }) => [id, status])).toEqual([
      ['target', 'pass'],
      ['backend-status', 'pass'],
      ['oauth-challenge', 'pass'],
      ['protected-resource', 'pass'],
      ['authorization-server', 'pass'],
    ]);
  });

  it('sends an initialize of protocol 2025-11-25 and no credential', async () => {
    asked.length = 0;
    await diagnose({ NODE_EXTRA_CA_CERTS: authority.file });
    const initialize = asked.find(({ path }) => path === '/mcp');
    expect(JSON.parse(initialize?.body ?? '')).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25' },
    });
    expect(asked.map(({ authorization }) => authorization)).toEqual(asked.map(() => undefined));
  });

  it.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])(
    'does not trust a private authority that %j leaves unnamed, and names the setting that does',
    async (env) => {
      const { code, report } = await diagnose(env);
      expect([code, report.status]).toEqual([1, 'failed']);
      expect(report.checks.find(({ id }) => id === 'backend-status')).toMatchObject({
        status: 'fail',
        hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      });
    },
  );
});

describe('the command line of orgctx doctor mcp', () => {
  it('needs --url', async () => {
    const { code, stdout, stderr } = await orgctx(['doctor', 'mcp', '--json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--url');
  });

  it('says in its help what a good verdict does not prove', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '"ready-for-oauth" does not prove that a browser sign-in, an authenticated tools/list or svc_advisor works.',
    );
  });
});
