import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../standins/certificate-authority.ts';
import { type McpInstance, startMcpInstance } from '../../standins/mcp-instance.ts';
import { orgctx } from '../../support/program/program.ts';

interface Report {
  readonly status: string;
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

/** A healthy https instance with a certificate of a private authority. */
let instance: McpInstance;
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = createCertificateAuthority();
  instance = await startMcpInstance({}, authority.issue(['127.0.0.1']));
});

afterAll(() => instance?.[Symbol.asyncDispose]());

async function diagnose(
  env: Record<string, string>,
  url = instance.mcpUrl,
): Promise<{ code: number | null; stdout: string; stderr: string; report: Report }> {
  const { code, stdout, stderr } = await orgctx(['doctor', 'mcp', '--url', url, '--json'], { env });
  return { code, stdout, stderr, report: JSON.parse(stdout) as Report };
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
    const before = instance.requests.length;
    await diagnose({ NODE_EXTRA_CA_CERTS: authority.file });
    const requests = instance.requests.slice(before);
    const initialize = requests.find(({ method, path }) => method === 'POST' && path === '/mcp');
    expect(JSON.parse(initialize?.body ?? '')).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25' },
    });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(requests.map(() => undefined));
  });

  it.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])(
    'does not trust a private authority with %j, and names the setting to use',
    async (env) => {
      const { code, report } = await diagnose(env);
      expect([code, report.status]).toEqual([1, 'failed']);
      expect(report.checks.find(({ id }) => id === 'backend-status')).toMatchObject({
        status: 'fail',
        hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      });
    },
  );

  it.each([
    ['expired', () => authority.issue(['127.0.0.1'], -1), 'Renew the certificate'],
    ['for another name', () => authority.issue(['context.example.com']), 'another name'],
  ])('refuses a certificate that is %s, and says so', async (_case, certificate, hint) => {
    await using other = await startMcpInstance({}, certificate());
    const { code, report } = await diagnose({ NODE_EXTRA_CA_CERTS: authority.file }, other.mcpUrl);
    expect(code).toBe(1);
    expect(report.checks[1]).toMatchObject({ status: 'fail', hint: expect.stringContaining(hint) });
  });

  it('never suggests to disable certificate verification', async () => {
    const { report, stderr } = await diagnose({});
    expect(JSON.stringify(report) + stderr).not.toMatch(/REJECT_UNAUTHORIZED|insecure|disable/i);
  });
});

describe('the command line of orgctx doctor mcp', () => {
  it('needs --url', async () => {
    const { code, stdout, stderr } = await orgctx(['doctor', 'mcp', '--json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--url');
  });

  it('says in its help what a good result does not prove', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '"ready-for-oauth" does not prove that a browser sign-in, an authenticated tools/list or svc_advisor works.',
    );
  });
});
