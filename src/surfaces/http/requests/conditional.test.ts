import { beforeAll, describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../test/support/http/http-server.ts';

const commit = 'a'.repeat(40);
const paths = {
  repository: '/acme/api/v1/repositories/:id',
  folder: '/acme/api/v1/repositories/:id/tree?path=',
  file: '/acme/api/v1/repositories/:id/file?path=a.ts',
} as const;

describe('a conditional request', async () => {
  let content = 'export const a = 1;\n';
  const http = await useTestHttp({
    sources: {
      readFile: async (_scope, { path }) => ({ commit, path, language: 'TypeScript', bytes: 20, content }),
      listTree: async () => ({ commit, entries: [{ path: 'a.ts', kind: 'file', bytes: 20 }] }),
    },
  });
  let id = '';

  beforeAll(async () => {
    const payload = { source: 'https://git.example/team/shop' };
    const added = await http.call({ method: 'POST', url: '/acme/api/v1/repositories', payload, as: 'admin' });
    ({ id } = added.json<{ id: string }>());
    await http.database.queries
      .updateTable('repositories')
      .set({ state: 'indexed', indexed_commit: commit, indexed_at: 1_790_000_000_000 })
      .execute();
  });

  const get = (url: string, held?: string, more: { method?: 'HEAD'; as?: 'gil' } = {}) =>
    http.call({
      url: url.replace(':id', id),
      ...(held !== undefined && { headers: { 'if-none-match': held } }),
      ...more,
    });

  it.each(Object.entries(paths))('is answered with 304 while the %s is unchanged', async (_what, path) => {
    const first = await get(path);
    const tag = String(first.headers.etag);
    expect([first.statusCode, first.headers['cache-control'], tag]).toEqual([
      200,
      'private, no-cache',
      expect.stringMatching(/^"[\w-]{22}"$/),
    ]);
    expect(first.headers.vary).toMatch(/\bAuthorization$/);
    for (const held of [tag, `W/${tag}`, `"other", W/"more",${tag}`, '*']) {
      const { statusCode, headers, body } = await get(path, held);
      expect([held, statusCode, body]).toEqual([held, 304, '']);
      const { etag, vary } = first.headers;
      expect(headers).toMatchObject({ etag, vary, 'cache-control': 'private, no-cache' });
      expect([headers['content-type'], headers['content-length']]).toEqual([undefined, undefined]);
    }
    for (const held of ['"other"', tag.replaceAll('"', ''), `x${tag}`, `${tag}x`, `"*", *`, '']) {
      expect([held, (await get(path, held)).statusCode]).toEqual([held, 200]);
    }
    expect([(await get(path, undefined, { method: 'HEAD' })).headers.etag]).toEqual([tag]);
    const head = await get(path, tag, { method: 'HEAD' });
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([304, '', tag]);
  });

  it('is answered with 200 and another tag after a change', async () => {
    const before = String((await get(paths.file)).headers.etag);
    content = 'export const a = 2;\n';
    const after = await get(paths.file, before);
    expect([after.statusCode, after.json<{ content: string }>().content]).toEqual([200, content]);
    expect(after.headers.etag).not.toBe(before);
    expect((await get(paths.file, String(after.headers.etag))).statusCode).toBe(304);
  });

  it('of a caller without access is refused like any other, whatever it says to have', async () => {
    const refused = [
      [paths.repository, 'gil', 403],
      [paths.repository.replace('acme', 'globex'), 'gil', 404],
      ['/acme/api/v1/githost/key', 'member', 403],
      ['/acme/api/v1/repositories/:id/file?path=a.ts&lines=0', 'member', 400],
    ] as const;
    const tag = String((await get(paths.repository)).headers.etag);
    for (const [path, as, status] of refused) {
      const url = path.replace(':id', id);
      const plain = await http.call({ url, as });
      for (const held of [tag, '*']) {
        const answer = await http.call({ url, as, headers: { 'if-none-match': held } });
        expect([path, answer.statusCode, answer.headers.etag]).toEqual([path, status, undefined]);
        expect(answer.headers['cache-control']).toBe('no-store');
        expect({ ...answer.json<object>(), requestId: '' }).toEqual({
          ...plain.json<object>(),
          requestId: '',
        });
      }
    }
  });

  it('of a list or of the caller is answered in full, and caches store neither', async () => {
    for (const path of ['/acme/api/v1/repositories', '/acme/api/v1/search?q=a', '/api/v1/me?orgSlug=acme']) {
      const { statusCode, headers } = await get(path, '*');
      expect([path, statusCode, headers.etag, headers['cache-control']]).toEqual([
        path,
        200,
        undefined,
        'no-store',
      ]);
    }
  });
});
