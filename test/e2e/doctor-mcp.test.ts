import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orgctx, start } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Report {
  readonly schemaVersion: number;
  readonly status: string;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly hint?: string }[];
}

let serve: ReturnType<typeof start>;
let baseUrl: string;
const brokenServers: Server[] = [];

beforeAll(async () => {
  serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()]);
  const log = await serve.line((text) => text.includes('"listening"'));
  baseUrl = (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
});

afterAll(async () => {
  for (const server of brokenServers) server.close();
  await serve?.stop();
});

/** An instance that is healthy but for one answer. */
async function broken(
  path: string,
  answer: (response: ServerResponse, origin: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = new URL(request.url ?? '/', origin).pathname;
    if (asked === path) return answer(response, origin);
    if (asked === '/.status')
      return json(response, 200, { status: 'ok', timestamp: new Date().toISOString() });
    if (asked === '/mcp') {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      return json(response, 401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
    }
    return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
  });
  brokenServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function diagnose(url: string) {
  const { code, stdout, stderr } = await orgctx(['doctor', 'mcp', '--url', url, '--json']);
  return { code, stdout, stderr, report: JSON.parse(stdout || 'null') as Report };
}

const statuses = ({ checks }: Report): Record<string, string> =>
  Object.fromEntries(checks.map(({ id, status }) => [id, status]));

describe('orgctx doctor mcp', () => {
  it('on a running instance passes all but the authorization server, which is not there yet, and exits 1', async () => {
    const { code, report } = await diagnose(`${baseUrl}/mcp`);
    expect(statuses(report)).toEqual({
      target: 'warning',
      'backend-status': 'pass',
      'oauth-challenge': 'pass',
      'protected-resource': 'pass',
      'authorization-server': 'fail',
    });
    expect([code, report.status, report.schemaVersion]).toEqual([1, 'failed', 1]);
  });

  it('on a wrong path fails at the target', async () => {
    const { code, report } = await diagnose(`${baseUrl}/api`);
    expect([code, statuses(report)['target'], statuses(report)['backend-status']]).toEqual([
      1,
      'fail',
      'skipped',
    ]);
  });

  it('on a plain http remote fails at the target and names HTTPS', async () => {
    const { code, report } = await diagnose('http://context.example.com/mcp');
    expect(report.checks[0]).toMatchObject({
      id: 'target',
      status: 'fail',
      hint: expect.stringContaining('HTTPS'),
    });
    expect(code).toBe(1);
  });

  it('on an instance without a challenge fails there', async () => {
    const origin = await broken('/mcp', (response) => json(response, 200, {}));
    const { code, report } = await diagnose(`${origin}/mcp`);
    expect([code, statuses(report)['oauth-challenge']]).toEqual([1, 'fail']);
  });

  it('on a wrong resource fails there', async () => {
    const origin = await broken('/.well-known/oauth-protected-resource/mcp', (response, self) =>
      json(response, 200, { resource: `${self}/mcp?orgSlug=acme`, authorization_servers: [self] }),
    );
    const { code, report } = await diagnose(`${origin}/mcp`);
    expect([code, statuses(report)['protected-resource']]).toEqual([1, 'fail']);
  });

  it.each([['ftp://127.0.0.1/mcp'], ['not a url'], ['stdio:server']])(
    'takes %s for a wrong command line: exit 2 and nothing on stdout',
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

  it('for people prints a line a check and the verdict last', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`]);
    expect(stdout).toMatch(/pass\s+Backend status/);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/: failed$/);
  });
});
