import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../test/support/command-line.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const key = 'ock_0123456789';
const env = { ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };

const record = {
  id: '01-a',
  name: 'service',
  source: 'https://git.example.com/service.git',
  branch: null,
  state: 'queued',
  progress: null,
  indexedCommit: null,
  indexedAt: null,
  files: 0,
  bytes: 0,
  error: null,
};
const indexed = {
  ...record,
  state: 'indexed',
  indexedCommit: 'a'.repeat(40),
  indexedAt: '2026-11-21T00:00:00.000Z',
  files: 12,
};

let service: StandInService;
afterEach(() => service.close());

function repo(...words: readonly string[]) {
  return runCli(['repo', ...words], { env: { ...env, ORGCTX_URL: service.url } });
}

describe('repo add', () => {
  it('posts the source with the key and prints the record', async () => {
    service = await standInService(() => ({ status: 201, body: record }));
    const { code, stdout } = await repo('add', record.source, '--branch', 'main', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(record);
    expect(service.seen[0]).toMatchObject({
      method: 'POST',
      url: '/acme/api/v1/repositories',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: { source: record.source, branch: 'main' },
    });
  });

  it('asks for further branches, and shows those that are searchable and what was left out', async () => {
    const commit = 'b'.repeat(40);
    const branches = [
      { name: 'main', commit: 'a'.repeat(40) },
      { name: 'release/1', commit },
      { name: 'dev\u001b[2J', commit },
    ];
    const skipped = { binary: 12, too_large: 3, branch_not_found: 1 };
    service = await standInService(() => ({ status: 201, body: { ...indexed, branches, skipped } }));
    const { stdout } = await repo('add', record.source, '--branches', 'release/*, dev');
    expect(service.seen[0]?.body).toEqual({ source: record.source, branches: ['release/*', 'dev'] });
    expect(stdout).toContain('  branches release/1 bbbbbbbbbbbb, dev[2J bbbbbbbbbbbb\n');
    expect(stdout).toContain('  skipped  binary 12, too large 3, branch not found 1\n');
  });

  it('shows each phase until it is indexed with --wait', async () => {
    const states = [
      record,
      { ...record, state: 'cloning', progress: { phase: 'receiving objects', done: 1, total: 4 } },
      { ...record, state: 'indexing', progress: { phase: 'indexing files', done: 1, total: 12 } },
      indexed,
    ];
    service = await standInService(() => ({ body: states[service.seen.length - 1] }));
    const { code, stdout, stderr } = await repo('add', record.source, '--wait');
    expect(code).toBe(0);
    expect(stderr).toBe('service: queued\nservice: receiving objects\nservice: indexing files\n');
    expect(stdout).toContain('indexed  aaaaaaaaaaaa at 2026-11-21T00:00:00.000Z, 12 files');
  });

  it('fails with the reason of the service when it could not be indexed', async () => {
    const error = { code: 'needs_credentials', message: 'Not found, or it needs credentials.' };
    service = await standInService(() => ({ body: { ...record, state: 'failed', error } }));
    const { code, stderr } = await repo('add', record.source, '--wait');
    expect(code).toBe(1);
    expect(stderr).toContain('service could not be indexed: Not found, or it needs credentials.');
  });

  it('sends a folder of this shell as an absolute path, and anything else as it is', async () => {
    service = await standInService(() => ({ status: 201, body: record }));
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'here'));
    for (const source of ['here', 'absent', 'git@git.example.com:a/b.git']) {
      await runCli(['repo', 'add', source], { env: { ...env, ORGCTX_URL: service.url }, cwd });
    }
    expect(service.seen.map(({ body }) => (body as { source: string }).source)).toEqual([
      join(cwd, 'here'),
      'absent',
      'git@git.example.com:a/b.git',
    ]);
  });
});

describe('repo list', () => {
  it('prints a line a repository and names the next page', async () => {
    service = await standInService(() => ({ body: { items: [indexed], nextCursor: 'c2' } }));
    const { stdout, stderr } = await repo('list', '--limit', '1', '--cursor', 'c1');
    expect(service.seen[0]?.url).toBe('/acme/api/v1/repositories?limit=1&cursor=c1');
    expect(stdout).toBe('service  aaaaaaaaaaaa  indexed\n');
    expect(stderr).toBe('There are more: --cursor c2\n');
  });

  it('gives one JSON value, with what it does not know itself', async () => {
    const items = [{ ...indexed, madeLater: true }];
    service = await standInService(() => ({ body: { items, nextCursor: null } }));
    const { stdout } = await repo('list', '--json');
    expect(JSON.parse(stdout)).toEqual({ items, nextCursor: null });
  });

  it('says what to do when there are none', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const { code, stdout, stderr } = await repo('list');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('orgctx repo add');
  });
});

describe('repo status, sync and remove', () => {
  const pages: Record<string, unknown> = {
    '/acme/api/v1/repositories?limit=200': {
      items: [{ ...record, id: '01-z', name: 'other' }],
      nextCursor: 'p2',
    },
    '/acme/api/v1/repositories?limit=200&cursor=p2': { items: [indexed], nextCursor: null },
  };

  async function serve(): Promise<void> {
    service = await standInService(({ url, method }) => ({
      body: pages[url] ?? { ...indexed, state: method === 'DELETE' ? 'removing' : 'cloning' },
    }));
  }

  it('find the repository by name or id over all pages', async () => {
    await serve();
    for (const called of ['service', '01-a']) {
      expect(JSON.parse((await repo('status', called, '--json')).stdout)).toEqual(indexed);
    }
  });

  it('say so when there is none', async () => {
    await serve();
    const { code, stderr } = await repo('status', 'absent');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no repository "absent" in acme. See: orgctx repo list');
  });

  it('start their work by id', async () => {
    await serve();
    expect((await repo('sync', 'service')).stdout).toContain('cloning');
    expect((await repo('remove', 'service')).stdout).toContain('removing');
    const done = service.seen
      .filter(({ url }) => url.includes('/01-a'))
      .map(({ method, url }) => `${method} ${url}`);
    expect(done).toEqual([
      'POST /acme/api/v1/repositories/01-a/sync',
      'DELETE /acme/api/v1/repositories/01-a',
    ]);
  });
});
