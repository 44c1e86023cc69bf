import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, literal, ours, patient } from '../../../test/contract/codesearch/query.ts';
import { remoteAt, serviceSecret } from '../../../test/support/codesearch/codesearch-process.ts';
import { indexRequest, indexStatus } from '../../../test/support/codesearch/index-request.ts';
import { createRandom } from '../../../test/support/connectors/random.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { type HostedIndexDeps, openHostedIndex } from '../../backends/codesearch/hosted/hosted-index.ts';
import { type CodeSearch, type FileMatch, noPassages } from '../../backends/codesearch/port.ts';
import { defaultMirrorLimits } from '../../foundation/git/mirror/mirror-limits.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { telemetryOff } from '../../foundation/telemetry/telemetry.ts';
import { buildCodeSearchService } from './build-service.ts';
import type { ServiceDeps } from './service-deps.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A fake engine: these tests check only the code between the engine and its caller. */
const engine: CodeSearch = {
  capabilities: { rank: 'index' },
  search: async () => ({ files: [], stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 } }),
  rank: async () => ({ files: [], passages: noPassages, unmatched: [] }),
  close: async () => undefined,
};
const index: HostedIndexDeps['index'] = {
  apply: async ({ branches: [{ commit }] }) => indexStatus({ commit }),
  define: async ({ branches: [{ commit }] }) =>
    indexStatus({ commit, generation: 5, filesWithoutDefinitions: 3 }),
  compact: async ({ branches: [{ commit }] }) => indexStatus({ commit, generation: 7 }),
  remove: async () => undefined,
  status: async () => undefined,
  isDamaged: async () => true,
  indexedCommit: async () => undefined,
};

async function serve(more: Partial<ServiceDeps> = {}) {
  const folder = temporaryFolder();
  const incoming = join(folder, 'incoming');
  mkdirSync(incoming);
  const server = await buildCodeSearchService({
    search: engine,
    sources: {
      readFile: async () => undefined,
      listTree: async () => undefined,
      findCommits: async () => [],
      readHistory: async () => undefined,
      readDiff: async () => undefined,
      close: async () => undefined,
    },
    hosted: openHostedIndex({ index, mirrors: join(folder, 'mirrors'), limits: defaultMirrorLimits }),
    secret: serviceSecret,
    incoming,
    upload: { maxBytes: 50_000, stallMs: 5_000 },
    version: '1.2.3',
    unready: async () => undefined,
    draining: new AbortController().signal,
    log: silentLog,
    telemetry: telemetryOff,
    ...more,
  });
  closing.push(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const remote = remoteAt(url);
  closing.push(() => remote.close());
  return { remote, incoming, url };
}

const match = (path: string): FileMatch => ({
  repository: 'repo' as RepositoryId,
  branch: 'main',
  commit: 'a'.repeat(40),
  path,
  language: 'TypeScript',
  score: 1.5,
  reasons: ['defines x'],
  matches: [
    {
      line: 1,
      column: 2,
      length: 3,
      text: 'line\u2028 with 👍 and \ud800',
      textOffset: 4,
      before: ['b'],
      after: [],
      symbol: { name: 'x', kind: 'macro' },
    },
  ],
  moreMatches: 5,
});

describe('answers', () => {
  it("contain every field of the engine's result", async () => {
    const files = Array.from({ length: 300 }, (_, file) => match(`src/${file}.ts`));
    const stats = { candidates: 9, scanned: 8, matched: 7, milliseconds: 6.5 };
    const found = { files, stats, incomplete: 'damaged', nextOffset: 300 } as const;
    const place = { startLine: 1, endLine: 2 };
    const { matches: _, moreMatches: _more, branch: _branch, ...file } = match('a.ts');
    const { reasons: _reasons, ...read } = file;
    const passage = {
      ...read,
      ...place,
      fileClass: 'test',
      definition: { name: 'x', kind: 'macro', line: 2, ...place, doc: { startLine: 1, endLine: 1 } },
      containers: ['Y'],
      lines: [{ line: 1, text: 'one' }],
      values: [{ line: 9, text: 'const most = 3;' }],
    } as const;
    const ranked = {
      files: [
        {
          ...file,
          fileClass: 'test',
        },
      ],
      passages: { best: [passage], nearest: [passage], confidence: 'possible' },
      unmatched: ['someName'],
      partial: true,
      incomplete: 'damaged',
    } as const;
    const { remote } = await serve({
      search: { ...engine, search: async () => found, rank: async () => ranked },
    });
    expect(await remote.search.search(ours, ask(literal('x')), patient)).toEqual(found);
    const request = { terms: ['x'], identifiers: [], paths: [], question: '', limit: 5, waitMs: 30_000 };
    expect(await remote.search.rank(ours, request, patient)).toEqual(ranked);
    expect(await remote.index.isDamaged(ours, 'repo' as RepositoryId)).toBe(true);
  });

  it('keep the code and the retry delay of an error', async () => {
    const search = async (): Promise<never> => {
      throw new Unavailable('overloaded', 'Too many searches are waiting.', { retryAfter: 1 });
    };
    const { remote } = await serve({ search: { ...engine, search } });
    await expect(remote.search.search(ours, ask(literal('x')), patient)).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
      retryAfter: 1,
      message: 'Too many searches are waiting.',
    });
  });

  it('reveal nothing about an internal error of the engine', async () => {
    const search = async (): Promise<never> => {
      throw new TypeError('internal words');
    };
    const { remote } = await serve({ search: { ...engine, search } });
    const failed = remote.search.search(ours, ask(literal('x')), patient);
    await expect(failed).rejects.toMatchObject({ status: 503, code: 'codesearch_failed' });
    await expect(failed).rejects.not.toThrow('internal words');
  });
});

describe('a caller that disconnects', () => {
  it('aborts its search', async () => {
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const search: CodeSearch['search'] = (_scope, _request, signal) => {
      started.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(signal.reason as Error);
        });
      });
    };
    const { remote } = await serve({ search: { ...engine, search } });
    const leaving = new AbortController();
    const searching = remote.search.search(ours, ask(literal('x')), leaving.signal);
    await started.promise;
    leaving.abort(new Error('gone'));
    await expect(searching).rejects.toThrow('gone');
    await ended.promise;
  });
});

describe('work on an index', () => {
  const noise = createRandom(1);
  const source = createRepository({
    'noise.bin': Buffer.from(Array.from({ length: 200_000 }, () => noise.below(256))),
  });
  const gitDir = join(source.folder, '.git');
  const request = indexRequest({
    scope: ours,
    repository: 'repo',
    gitDir,
    to: source.git('rev-parse', 'HEAD'),
  });

  it('is refused during the upload if the repository exceeds the limit', async () => {
    const { remote, incoming } = await serve();
    await expect(remote.index.apply(request, patient)).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('larger than 50000 bytes'),
    });
    expect(readdirSync(incoming)).toEqual([]);
  });

  it('is refused by a service that shuts down, which still handles searches', async () => {
    const { remote, url } = await serve({ draining: AbortSignal.abort() });
    await expect(remote.index.compact(request, patient)).rejects.toMatchObject({
      code: 'shutting_down',
      status: 503,
    });
    expect(await remote.search.search(ours, ask(literal('x')), patient)).toMatchObject({ files: [] });
    const readyz = await fetch(`${url}/readyz`);
    expect([readyz.status, await readyz.json()]).toEqual([
      503,
      { status: 'unavailable', reason: 'stopping' },
    ]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('reports a full disk and when to retry', async () => {
    const full: HostedIndexDeps['index'] = {
      ...index,
      compact: () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' })),
    };
    const hosted = openHostedIndex({ index: full, mirrors: temporaryFolder(), limits: defaultMirrorLimits });
    const { remote } = await serve({ hosted });
    await expect(remote.index.compact(request, patient)).rejects.toMatchObject({
      code: 'disk_full',
      retryAfter: 60,
    });
  });

  it('returns the result of a compaction and of reading definitions', async () => {
    const { remote } = await serve();
    expect(await remote.index.compact(request, patient)).toMatchObject({ generation: 7 });
    expect(await remote.index.define(request, patient)).toMatchObject({
      generation: 5,
      filesWithoutDefinitions: 3,
    });
  });
});
