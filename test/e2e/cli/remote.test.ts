import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { orgctx, type RunningQuickstart, startQuickstart } from '../../support/program/program.ts';

let repository: TestRepository;
let service: RunningQuickstart;

beforeAll(async () => {
  repository = createRepository({
    'src/lease-clerk.ts':
      '/** Renews a lease before it runs out. */\nexport function renewLease(id: string) {\n  return id;\n}\n',
    'README.md': '# Leases\n\nThe lease clerk renews every lease.\n',
  });
  service = await startQuickstart([repository.folder]);
});

afterAll(() => service?.stop());

function remote(...words: readonly string[]) {
  const { baseUrl, orgSlug, apiKey } = service.result;
  return orgctx(words, { env: { ORGCTX_URL: baseUrl, ORGCTX_ORG: orgSlug, ORGCTX_API_KEY: apiKey ?? '' } });
}

describe('the remote commands against a running service', () => {
  it('list the repository and show it by name', async () => {
    const { items } = JSON.parse((await remote('repo', 'list', '--json')).stdout);
    expect(items).toMatchObject([{ name: service.result.repository.name, state: 'indexed' }]);
    const { stdout, code } = await remote('repo', 'status', items[0].name);
    expect(code).toBe(0);
    expect(stdout).toContain(repository.git('rev-parse', 'HEAD').slice(0, 12));
  });

  it('find a line, and a new one after a sync', async () => {
    expect((await remote('search', 'renewLease')).stdout).toContain(
      '2:export function renewLease(id: string) {',
    );
    const commit = repository.commit({ 'src/late.ts': 'export const lateArrival = 1;\n' });
    const synced = await remote('repo', 'sync', service.result.repository.name, '--wait', '--json');
    expect(JSON.parse(synced.stdout)).toMatchObject({ state: 'indexed', indexedCommit: commit });
    expect((await remote('search', 'lateArrival')).stdout).toContain('/src/late.ts');
  });

  it('ask the advisor and print the file that it cites', async () => {
    const { code, stdout } = await remote('ask', 'How does the lease clerk renew a lease?');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\[\d+\] .*src\/lease-clerk\.ts:\d+-\d+ @ [0-9a-f]{12}$/m);
  });

  it('are refused with exit 4 with a wrong key and for a foreign organization', async () => {
    const { baseUrl, orgSlug, apiKey } = service.result;
    const wrong = { ORGCTX_URL: baseUrl, ORGCTX_ORG: orgSlug, ORGCTX_API_KEY: 'ock_wrong' };
    expect((await orgctx(['repo', 'list'], { env: wrong })).code).toBe(4);
    const foreign = await remote('repo', 'list', '--org', 'nobody');
    expect(foreign.code).toBe(4);
    expect(foreign.stderr).not.toContain(apiKey);
  });

  it('show the owner, organization and expiry of a key', async () => {
    const { stdout } = await remote('whoami', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      url: service.result.baseUrl,
      organization: { slug: service.result.orgSlug, role: 'owner' },
      credential: { kind: 'api-key', expiresAt: null },
      scopes: ['api', 'mcp'],
    });
  });

  it('print the client configuration for the service', async () => {
    const { stdout } = await remote('mcp', 'config', '--auth', 'key');
    expect(JSON.parse(stdout).mcpServers.orgctx.url).toBe(service.result.mcpUrl);
  });
});
