import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, start } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const source = createRepository({
  'src/lease.ts': 'export function acquireLease(key: string) {\n  return { key };\n}\n',
  'src/worker.ts':
    'import { acquireLease } from "./lease";\n\n// Retries a job until its lease is gone.\nacquireLease("job");\n',
  'docs/guide.md': '# Guide\n\nA lease is acquired with acquireLease.\n',
});
const secrets = {
  AUTH_SECRET: 'a-secret-of-the-whole-deployment-0123456789',
  CODESEARCH_SECRET: 'a-secret-of-the-code-search-service-0123456789',
};
const running: ReturnType<typeof start>[] = [];

function launch(args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = start(args, { env });
  running.push(program);
  return program;
}

afterAll(async () => {
  for (const program of running.toReversed()) await program.stop();
});

async function listening(program: ReturnType<typeof start>): Promise<string> {
  const log = await program.line((text) => text.includes('"listening"'));
  return (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
}

class Deployment {
  readonly baseUrl: string;
  readonly apiKey: string;
  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  async api(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const headers = { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.baseUrl}/acme/api/v1${path}`, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Returns the result of a tool without values that differ between deployments: addresses, ids and times. */
  async tool(name: string, args: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(`${this.baseUrl}/mcp?orgSlug=acme`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const text = await response.text();
    const [, data = text] = /^data: (\{.*\})$/m.exec(text) ?? [];
    const plain = data
      .replaceAll(this.baseUrl, 'http://base')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/(\\?"milliseconds\\?":)[\d.]+/g, '$10');
    return (JSON.parse(plain) as { result: unknown }).result;
  }
}

/** Starts a server and a worker that share only a database, unless `dataDir` is given. */
async function deploy(env: Readonly<Record<string, string>>, dataDir?: string): Promise<Deployment> {
  const database = join(dataDir ?? temporaryFolder(), 'orgctx.db');
  const settings = {
    ...secrets,
    DATABASE_URL: `sqlite:${database}`,
    ALLOW_LOCAL_REPOSITORIES: 'true',
    ...env,
  };
  const [serverDir, workerDir] = [dataDir ?? temporaryFolder(), dataDir ?? temporaryFolder()];
  const host = (...args: string[]) => orgctx([...args, '--data-dir', serverDir], { env: settings });
  await host('migrate');
  await host('admin', 'create', '--email', 'ada@example.com', '--org', 'acme');
  const key = await host('admin', 'key', 'create', '--email', 'ada@example.com', '--name', 'test', '--json');
  const serve = launch(['serve', '--no-worker', '--port', '0', '--data-dir', serverDir], settings);
  const deployment = new Deployment(await listening(serve), JSON.parse(key.stdout).apiKey);
  launch(['worker', '--data-dir', workerDir], settings);
  const body = JSON.stringify({ source: source.folder, name: 'library' });
  expect((await deployment.api('/repositories', { method: 'POST', body })).status).toBe(201);
  const states = async () =>
    ((await deployment.api('/repositories')).body['items'] as { state: string }[]).map(({ state }) => state);
  await vi.waitFor(async () => expect(await states()).toEqual(['indexed']), {
    timeout: 120_000,
    interval: 200,
  });
  // The definitions and the graph are complete some time after the index.
  const answer = async () => JSON.stringify(await deployment.tool('svc_advisor', { prompt: question }));
  const isComplete = /(?=.*`function acquireLease`).*last changed/s;
  await vi.waitFor(async () => expect(await answer()).toMatch(isComplete), {
    timeout: 120_000,
    interval: 200,
  });
  return deployment;
}

/** Removes the minute of indexing, which can differ between the deployments. */
function withoutTimes(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result).replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, ''));
}

const question = 'How does a job acquire its lease?';
const questions: readonly (readonly [string, Record<string, unknown>])[] = [
  ['search_code', { query: 'acquireLease' }],
  ['search_code', { query: '/export +function/ lang:typescript' }],
  ['search_code', { query: 'file:guide lease' }],
  ['search_code', { query: '/(unbalanced/' }],
  ['read_file', { repository: 'library', path: 'src/lease.ts' }],
  ['read_file', { repository: 'library', path: 'gone.ts' }],
  ['list_tree', { repository: 'library', path: 'src' }],
  ['svc_advisor', { prompt: question }],
];

describe('serve, worker and code search as three processes with three data folders', () => {
  const codesearchDir = temporaryFolder();
  let embedded: Deployment;
  let remote: Deployment;
  let service: ReturnType<typeof start>;
  let url: string;
  const startService = (port: string) =>
    launch(['codesearch', '--port', port, '--data-dir', codesearchDir], secrets);

  beforeAll(async () => {
    service = startService('0');
    url = await listening(service);
    embedded = await deploy({}, temporaryFolder());
    remote = await deploy({ CODESEARCH_URL: url });
  });

  it.each(questions)('answer %s %j like one process with one folder', async (name, args) => {
    const [here, there] = [await embedded.tool(name, args), await remote.tool(name, args)];
    expect(withoutTimes(there)).toEqual(withoutTimes(here));
    const isRefusal = /unbalanced|gone/.test(JSON.stringify(args));
    expect(here).toMatchObject({ content: [{ type: 'text' }], ...(isRefusal ? { isError: true } : {}) });
    if (!isRefusal) expect(JSON.stringify(here)).toMatch(/lease\.ts|guide\.md/);
  });

  it('report that the service is unreachable while it is stopped, and answer once it is back', async () => {
    await service.stop();
    const unavailable = await remote.api('/search?q=acquireLease');
    expect(unavailable).toMatchObject({
      status: 503,
      body: { code: 'codesearch_unreachable', detail: expect.stringContaining('Check CODESEARCH_URL') },
    });
    const result = JSON.stringify(await remote.tool('search_code', { query: 'acquireLease' }));
    expect(result).toContain('Check CODESEARCH_URL');
    expect((await fetch(`${remote.baseUrl}/.status`)).status).toBe(200);
    expect((await remote.api('/repositories')).status).toBe(200);
    service = startService(new URL(url).port);
    await listening(service);
    await expect.poll(async () => (await remote.api('/search?q=acquireLease')).status).toBe(200);
  });
});
