import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type InstanceRoutes,
  resourceMetadata,
  resourcePath,
  startMcpInstance,
} from '../../standins/mcp-instance.ts';
import { orgctx, start } from '../../support/program/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Report {
  readonly schemaVersion: number;
  readonly status: string;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly hint?: string }[];
}

let serve: ReturnType<typeof start>;
let baseUrl: string;

beforeAll(async () => {
  serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()]);
  const log = await serve.line((text) => text.includes('"listening"'));
  baseUrl = (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
});

afterAll(() => serve?.stop());

async function diagnose(url: string) {
  const { code, stdout, stderr } = await orgctx(['doctor', 'mcp', '--url', url, '--json']);
  return { code, stdout, stderr, report: JSON.parse(stdout || 'null') as Report };
}

const statuses = ({ checks }: Report): Record<string, string> =>
  Object.fromEntries(checks.map(({ id, status }) => [id, status]));

describe('orgctx doctor mcp', () => {
  it('passes every check on a running instance, warns about loopback http and exits 0', async () => {
    const { code, report } = await diagnose(`${baseUrl}/mcp`);
    expect(statuses(report)).toEqual({
      target: 'warning',
      'backend-status': 'pass',
      'oauth-challenge': 'pass',
      'protected-resource': 'pass',
      'authorization-server': 'pass',
    });
    expect([code, report.status, report.schemaVersion]).toEqual([0, 'warning', 1]);
  });

  it.each([
    ['a host without a service', () => ({}), 'https://<host>/mcp'],
    ['the host of a service', () => ({ ORGCTX_URL: baseUrl }), () => `${baseUrl}/mcp`],
  ])('refuses a command without --url on %s and prints the whole command', async (_name, env, url) => {
    const { code, stdout, stderr } = await orgctx(['doctor', 'mcp'], { env: env() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--url is required.');
    expect(stderr).toContain(`orgctx doctor mcp --url ${typeof url === 'string' ? url : url()}\n`);
  });

  it('--json prints the report of the contract and nothing else', async () => {
    const { stdout, stderr } = await diagnose(`${baseUrl}/mcp?orgSlug=acme`);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      status: 'warning',
      url: `${baseUrl}/mcp?orgSlug=acme`,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      durationMs: expect.any(Number),
      checks: expect.toSatisfy((checks: readonly object[]) => checks.length === 5),
    });
    for (const check of (JSON.parse(stdout) as { checks: readonly Record<string, unknown>[] }).checks) {
      expect(Object.keys(check).filter((key) => key !== 'hint' && key !== 'evidence')).toEqual([
        'id',
        'title',
        'status',
        'message',
      ]);
    }
  });

  it('fails the target check for a wrong path', async () => {
    const { code, report } = await diagnose(`${baseUrl}/api`);
    expect([code, statuses(report)['target'], statuses(report)['backend-status']]).toEqual([
      1,
      'fail',
      'skipped',
    ]);
  });

  it('fails the target check for a remote address without TLS and names HTTPS', async () => {
    const { code, report } = await diagnose('http://context.example.com/mcp');
    expect(report.checks[0]).toMatchObject({
      id: 'target',
      status: 'fail',
      hint: expect.stringContaining('HTTPS'),
    });
    expect(code).toBe(1);
  });

  it.each<[string, string, InstanceRoutes]>([
    ['an instance without a challenge', 'oauth-challenge', { '/mcp': () => ({ status: 200 }) }],
    [
      'a wrong resource',
      'protected-resource',
      {
        [`${resourcePath}/mcp`]: (origin) => ({
          status: 200,
          body: resourceMetadata(origin, { resource: `${origin}/mcp?orgSlug=acme` }),
        }),
      },
    ],
  ])('fails the right check for %s', async (_case, check, broken) => {
    await using instance = await startMcpInstance(broken);
    const { code, report } = await diagnose(instance.mcpUrl);
    expect([code, report.status, statuses(report)[check]]).toEqual([1, 'failed', 'fail']);
  });

  it.each([['ftp://127.0.0.1/mcp'], ['not a url'], ['stdio:server']])(
    'refuses %s with exit 2 and nothing on stdout',
    async (url) => {
      const { code, stdout } = await orgctx(['doctor', 'mcp', '--url', url, '--json']);
      expect([code, stdout]).toEqual([2, '']);
    },
  );

  it('has no option for a token and never prints one', async () => {
    const refused = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`, '--token', 'hush-hush']);
    expect(refused.code).toBe(2);
    const { stdout, stderr, code } = await diagnose(`${baseUrl}/mcp?access_token=hush-hush`);
    expect(code).toBe(1);
    expect(refused.stdout + refused.stderr + stdout + stderr).not.toContain('hush-hush');
  });

  it('prints one line per check and the result last without --json', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`]);
    expect(stdout).toMatch(/pass\s+Backend status/);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/: warning$/);
  });
});
