import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Interrupted } from '../frame/interrupted.ts';

const key = 'ock_0123456789';
const env = { ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };

const record = {
  id: '01-abcdef',
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

  it('requests further branches, and prints the searchable and the skipped ones', async () => {
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

  it('prints the files that the graph left out, and some of their paths', async () => {
    const graphLeftOut = {
      counts: { too_slow: 2, budget: 40 },
      examples: [{ path: 'a\u001b[2J.js', reason: 'too_slow' }],
    };
    service = await standInService(() => ({ status: 201, body: { ...indexed, graphLeftOut } }));
    const { stdout } = await repo('add', record.source);
    expect(stdout).toContain('  not in graph too slow 2, budget 40 (such as a[2J.js)\n');
  });

  it('prints each phase until it is indexed with --wait', async () => {
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
    expect(stdout).toContain('indexed aaaaaaaaaaaa at 2026-11-21 00:00 UTC, 12 files');
    expect(stdout).toContain('It is searchable now: orgctx search "repo:service <words>"\n');
  });

  it('says that it was added when the wait is interrupted', async () => {
    const interrupt = new AbortController();
    service = await standInService(() => {
      if (service.seen.length > 1) interrupt.abort(new Interrupted('SIGINT'));
      return { body: record };
    });
    const options = { env: { ...env, ORGCTX_URL: service.url }, signal: interrupt.signal };
    const { code, stderr } = await runCli(['repo', 'add', record.source, '--wait'], options);
    expect(code).toBe(130);
    expect(stderr).toMatch(/service was added, .*"orgctx repo remove service" removes it\./);
  });

  it('fails with the reason of the service if it cannot be indexed', async () => {
    const error = { code: 'needs_credentials', message: 'Not found, or it needs credentials.' };
    service = await standInService(() => ({ body: { ...record, state: 'failed', error } }));
    const { code, stderr } = await repo('add', record.source, '--wait');
    expect(code).toBe(1);
    expect(stderr).toContain('service could not be indexed: Not found, or it needs credentials.');
  });

  it('sends a local folder as an absolute path, and any other source unchanged', async () => {
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
  it('prints one repository per line and how to get the next page', async () => {
    service = await standInService(() => ({ body: { items: [indexed], nextCursor: 'c2' } }));
    const { stdout, stderr } = await repo('list', '--limit', '1', '--cursor', 'c1');
    expect(service.seen[0]?.url).toBe('/acme/api/v1/repositories?limit=1&cursor=c1');
    expect(stdout).toMatch(
      /^NAME +SOURCE +STATE +FILES +INDEXED\nservice {2}https:\S+ {2}indexed {2}12 +\d+ \w+ ago\n$/,
    );
    expect(stderr).toBe('More entries are available: --cursor c2\n');
  });

  it('shows failed repositories with their error on one line of 80 columns', async () => {
    const error = { code: 'not_found', message: `The repository does not exist, ${'or '.repeat(40)}` };
    const failed = { ...record, name: 'broken', state: 'failed', error };
    service = await standInService(() => ({ body: { items: [indexed, failed], nextCursor: null } }));
    const wide = (await repo('list')).stdout.trimEnd().split('\n');
    expect(wide[2]).toMatch(/^broken .* failed +- +not yet +The repository does not exist.* or$/);
    const url = { ...env, ORGCTX_URL: service.url, NO_COLOR: '1' };
    const shown = (await runCli(['repo', 'list'], { env: url, terminal: true })).stdout.trimEnd().split('\n');
    expect(shown).toHaveLength(3);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown[2]).toMatch(/^broken {3}https:\S+… {2}failed {3}- +not yet +The repo\S* ?\S*…$/);
  });

  it('prints one JSON value, including unknown fields', async () => {
    const items = [{ ...indexed, madeLater: true }];
    service = await standInService(() => ({ body: { items, nextCursor: null } }));
    const { stdout } = await repo('list', '--json');
    expect(JSON.parse(stdout)).toEqual({ items, nextCursor: null });
  });

  it('says what to do if there are none', async () => {
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

  it('find the repository by name or id on all pages', async () => {
    await serve();
    for (const called of ['service', '01-abcdef', '01-abc']) {
      expect(JSON.parse((await repo('status', called, '--json')).stdout)).toEqual(indexed);
    }
  });

  it('print how many files wait for their definitions, until all are read', async () => {
    const printed = async (fields: object): Promise<string> => {
      const items = [{ ...indexed, ...fields }];
      service = await standInService(() => ({ body: { items, nextCursor: null } }));
      return (await repo('status', 'service')).stdout;
    };
    expect(await printed({ filesWithoutDefinitions: 1234 })).toContain(
      '  definitions being read, 1234 files left; sym: does not find them yet\n',
    );
    expect(await printed({})).not.toContain('definitions');
  });

  it.each([
    ['being built', { graphCommit: null }],
    ['being built', { graphCommit: 'b'.repeat(40) }],
    ['not up to date', { graphCommit: null, error: { code: 'x', message: 'The worker was lost.' } }],
    [undefined, { graphCommit: indexed.indexedCommit }],
    [undefined, { graphCommit: null, indexedCommit: null }],
  ])('print the graph as %s: %j', async (graph, fields) => {
    service = await standInService(() => ({
      body: { items: [{ ...indexed, ...fields }], nextCursor: null },
    }));
    const { stdout } = await repo('status', 'service');
    expect(/^ {2}graph +(.*)$/m.exec(stdout)?.[1]).toBe(graph);
  });

  it('suggest the nearest name for an unknown one', async () => {
    await serve();
    expect((await repo('status', 'servcie')).stderr).toContain(
      'There is no repository "servcie" in acme. Did you mean "service"? Run "orgctx repo list"',
    );
  });

  it('names commands as they are typed under npx', async () => {
    await serve();
    const typed = { ...env, ORGCTX_URL: service.url, npm_command: 'exec' };
    const { stdout } = await runCli(['repo', 'sync', 'service'], { env: typed });
    expect(stdout).toContain('Run "npx orgctx repo status service --wait"');
  });

  it('report an unknown repository', async () => {
    await serve();
    const { code, stderr } = await repo('status', 'absent');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no repository "absent" in acme. Run "orgctx repo list"');
  });

  it('start the work by id', async () => {
    await serve();
    expect((await repo('sync', 'service')).stdout).toBe(
      'The sync of service has started. Searches use commit aaaaaaaaaaaa meanwhile. ' +
        'Run "orgctx repo status service --wait" to follow it.\n',
    );
    expect((await repo('remove', 'service')).stdout).toContain('removing');
    const done = service.seen
      .filter(({ url }) => url.includes('/01-abcdef'))
      .map(({ method, url }) => `${method} ${url}`);
    expect(done).toEqual([
      'POST /acme/api/v1/repositories/01-abcdef/sync',
      'DELETE /acme/api/v1/repositories/01-abcdef',
    ]);
  });
});

describe('repo remove on a terminal', () => {
  it.each([
    ['n', [], 2, ['GET']],
    ['y', [], 0, ['GET', 'DELETE']],
    [undefined, ['--yes'], 0, ['GET', 'DELETE']],
  ])('asks for confirmation: %j with %j', async (typed, flags, expected, methods) => {
    service = await standInService(({ url }) => ({
      body: url.includes('?limit') ? { items: [indexed], nextCursor: null } : indexed,
    }));
    const shown: string[] = [];
    const here = { ...env, ORGCTX_URL: service.url, NO_COLOR: '1' };
    const options = { env: here, terminal: true, shown, ...(typed === undefined ? {} : { typed }) };
    const { code } = await runCli(['repo', 'remove', 'service', ...flags], options);
    expect([code, service.seen.map(({ method }) => method)]).toEqual([expected, methods]);
    expect(shown.join('').includes('Remove the repository service (')).toBe(typed !== undefined);
  });
});

describe('repo sync --wait', () => {
  const other = 'b'.repeat(40);

  it.each([
    ['is up to date at aaaaaaaaaaaa, 12 files, checked now.', indexed],
    [
      'is synced: aaaaaaaaaaaa..bbbbbbbbbbbb, 12 -> 14 files.',
      { ...indexed, indexedCommit: other, files: 14 },
    ],
    ['is synced: aaaaaaaaaaaa..bbbbbbbbbbbb, 12 files.', { ...indexed, indexedCommit: other }],
    [
      'is synced: aaaaaaaaaaaa, other branches changed, 12 files.',
      { ...indexed, branches: [{ name: 'dev', commit: other }] },
    ],
  ])('says that it %s', async (words, after) => {
    const list = { items: [indexed], nextCursor: null };
    service = await standInService(({ url, method }) => ({
      body: url.includes('?limit') ? list : method === 'POST' ? { ...indexed, state: 'cloning' } : after,
    }));
    const { code, stdout } = await repo('sync', 'service', '--wait');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `service ${words}\n` });
  });
});

describe('repo set', () => {
  const list = { items: [{ ...record, state: 'failed' }], nextCursor: null };

  it.each([
    [['--source', 'https://git.example.com/b.git'], { source: 'https://git.example.com/b.git' }],
    [['--branch', 'main', '--branches', 'a, b'], { branch: 'main', branches: ['a', 'b'] }],
    [['--default-branch', '--name', 'api'], { branch: null, name: 'api' }],
  ])('changes only what is given: %j', async (flags, body) => {
    service = await standInService(({ url }) => ({ body: url.includes('?limit') ? list : record }));
    const { code, stdout } = await repo('set', 'service', ...flags);
    expect(code).toBe(0);
    expect(stdout).toContain('Run "orgctx repo status service --wait" to follow the sync.\n');
    const path = '/acme/api/v1/repositories/01-abcdef';
    expect(service.seen.at(-1)).toMatchObject({ method: 'PATCH', url: path, body });
    expect(service.seen.at(-1)?.body).toEqual(body);
  });

  it.each([
    [[], /Nothing to change was given.\nGive --source/],
    [['--branch', 'main', '--default-branch'], /cannot be combined/],
  ])('refuses %j before any request', async (flags, message) => {
    service = await standInService(() => ({ body: {} }));
    const { code, stderr } = await repo('set', 'service', ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(service.seen).toEqual([]);
  });
});
