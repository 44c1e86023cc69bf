import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CodeIndex, CodeSearch, IndexRequest, Query } from '../../../src/backends/codesearch/port.ts';
import { findCtags } from '../../../src/backends/codesearch/zoekt/index/find-ctags.ts';
import { openZoektCodeIndex } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-index.ts';
import { openZoektCodeSearch } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { InvalidInput } from '../../../src/foundation/kernel/errors.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { namedRepository } from '../../support/codesearch/index-request.ts';
import { findZoekt, type RunningZoekt, startZoekt } from '../../support/codesearch/zoekt.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient } from './query.ts';

const { folder } = await findZoekt();
/** Zoekt extracts symbols with it. */
const ctags = await findCtags();

/** Creates a program that replaces the indexer. */
function program(script: string): string {
  const path = join(temporaryFolder(), 'zoekt-git-index');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function request(id: string, of: TestRepository, branches: readonly string[] = ['main']): IndexRequest {
  const heads = branches.map((name) => ({ name, commit: of.git('rev-parse', name) }));
  const [first, ...others] = heads as [(typeof heads)[0]];
  return {
    scope: ours,
    repository: namedRepository(id),
    gitDir: `${of.folder}/.git`,
    branches: [first, ...others],
  };
}

describe.skipIf(folder === undefined)('with a real Zoekt', () => {
  const http = createHttpClient({ allowHosts: [] });
  const started = new AsyncDisposableStack();
  started.defer(() => http.close());
  let zoekt: RunningZoekt;
  let index: CodeIndex;
  let search: CodeSearch;
  beforeAll(async () => {
    zoekt = started.use(await startZoekt(folder ?? '', join(temporaryFolder(), 'index')));
    index = openZoektCodeIndex({ ...zoekt, http, log: silentLog });
    search = openZoektCodeSearch({ url: zoekt.url, http });
  });
  afterAll(() => started.disposeAsync());
  const found = async (id: string, query: Query): Promise<readonly (readonly [string, string, string])[]> => {
    const { files } = await search.search(ours, ask(query, { repositories: [namedRepository(id)] }), patient);
    return files
      .map(({ path, branch, commit }) => [path, branch, commit] as const)
      .toSorted(([a], [b]) => a.localeCompare(b));
  };

  it('finds files on the branches that a query names, and only on the default branch without one', async () => {
    const repository = createRepository({ 'same.ts': 'shared();\n', 'only.ts': 'onMain();\n' });
    repository.git('switch', '-q', '-c', 'rel/1.0');
    repository.commit({ 'only.ts': 'onRelease();\n', 'new.ts': 'onRelease();\n' });
    repository.git('switch', '-q', '-c', 'rel/HEAD');
    repository.git('switch', '-q', 'main');
    const [main, release] = [repository.git('rev-parse', 'main'), repository.git('rev-parse', 'rel/1.0')];
    const status = await index.apply(
      request('repo-branches', repository, ['main', 'rel/1.0', 'rel/HEAD']),
      patient,
    );
    expect(status.branches.map(({ name }) => name)).toEqual(['main', 'rel/1.0', 'rel/HEAD']);
    expect(status).toMatchObject({ commit: main, files: 2, skipped: {} });
    const on = (pattern: string, text: string): Query => ({
      kind: 'and',
      operands: [literal(text), { kind: 'branch', pattern }],
    });
    expect(await found('repo-branches', literal('onRelease'))).toEqual([]);
    expect(await found('repo-branches', literal('shared'))).toEqual([['same.ts', 'main', main]]);
    expect(await found('repo-branches', on('HEAD', 'onMain'))).toEqual([['only.ts', 'main', main]]);
    expect(await found('repo-branches', on('rel/1.0', 'onRelease'))).toEqual([
      ['new.ts', 'rel/1.0', release],
      ['only.ts', 'rel/1.0', release],
    ]);
    expect(await found('repo-branches', on('rel/1.0', 'shared'))).toEqual([['same.ts', 'rel/1.0', release]]);
    expect(await found('repo-branches', on('rel/?.*', 'shared'))).toEqual([['same.ts', 'rel/1.0', release]]);
    expect(await found('repo-branches', on('*HEAD', 'shared'))).toEqual([['same.ts', 'rel/HEAD', release]]);
    expect(await found('repo-branches', on('*', 'shared'))).toEqual([['same.ts', 'main', main]]);
    expect(await found('repo-branches', on('rel', 'shared'))).toEqual([]);
    const under: Query = { kind: 'not', operand: { kind: 'branch', pattern: 'main' } };
    await expect(found('repo-branches', under)).rejects.toThrow(/branch: under `or` or `-`/);
  });

  it.skipIf(ctags === undefined)('finds symbols by name and returns their kinds', async () => {
    const repository = createRepository({
      'a.go': 'package a\n\nfunc Acquire() {}\n\nfunc useAcquire() { Acquire() }\n',
      'b.go': 'package a\n\nvar x = "Acquire"\n',
    });
    await index.apply(request('repo-symbols', repository), patient);
    const symbol = (form: 'literal' | 'regex', text: string): Query => ({
      kind: 'symbol',
      form,
      text,
      caseSensitive: true,
    });
    const searchRequest = ask(symbol('regex', '^Acquire$'), {
      repositories: [namedRepository('repo-symbols')],
    });
    const { files } = await search.search(ours, searchRequest, patient);
    expect(files).toMatchObject([
      {
        path: 'a.go',
        reasons: ['defines Acquire'],
        matches: [{ line: 3, column: 6, length: 7, symbol: { name: 'Acquire', kind: 'function' } }],
      },
    ]);
    expect((await found('repo-symbols', symbol('literal', 'Acq'))).map(([path]) => path)).toEqual(['a.go']);
    expect(await found('repo-symbols', symbol('literal', 'x = '))).toEqual([]);
  });

  it.skipIf(ctags === undefined)(
    'indexes symbols once ctags is installed, though nothing else changed',
    async () => {
      const repository = createRepository({ 'late.go': 'package a\n\nfunc Late() {}\n' });
      let installed: string | undefined;
      const codeIndex = openZoektCodeIndex({ ...zoekt, http, log: silentLog, ctags: async () => installed });
      const before = await codeIndex.apply(request('repo-late', repository), patient);
      const definitions: Query = { kind: 'symbol', form: 'literal', text: 'Late', caseSensitive: true };
      expect(await found('repo-late', definitions)).toEqual([]);
      expect(await codeIndex.apply(request('repo-late', repository), patient)).toEqual(before);
      installed = ctags;
      const after = await codeIndex.apply(request('repo-late', repository), patient);
      expect(after.generation).toBe(before.generation + 1);
      expect((await found('repo-late', definitions)).map(([path]) => path)).toEqual(['late.go']);
      expect(await codeIndex.apply(request('repo-late', repository), patient)).toEqual(after);
    },
  );

  it('shows the first line of a file that is found by its path', async () => {
    const repository = createRepository({ 'docs/guide.md': '# Guide\nmore\n', 'docs/empty.md': '' });
    await index.apply(request('repo-paths', repository), patient);
    const searchRequest = ask(literal('docs/', 'path'), { repositories: [namedRepository('repo-paths')] });
    const { files } = await search.search(ours, searchRequest, patient);
    const texts = files
      .map(({ path, matches }) => [path, matches] as const)
      .toSorted(([a], [b]) => a.localeCompare(b));
    const match = { line: 1, column: 1, length: 0, textOffset: 0, before: [], after: [] };
    expect(texts).toEqual([
      ['docs/empty.md', [{ ...match, text: '' }]],
      ['docs/guide.md', [{ ...match, text: '# Guide' }]],
    ]);
  });

  it('counts skipped files and shows nothing of them', async () => {
    const repository = createRepository({
      'ok.ts': 'kept();\n',
      'large.txt': 'kept\n'.repeat(300_000),
      'blob.bin': Buffer.from('kept\0'),
      two: 'k\n',
      '.sourcegraph/ignore': 'ignored/\n',
      'ignored/a.ts': 'kept();\n',
      'ignored/b.ts': 'kept();\n',
      'words.txt': Array.from({ length: 9000 }, (_, n) => `kept${n.toString(36)}é${n * 7}`).join('\n'),
    });
    const status = await index.apply(request('repo-skips', repository), patient);
    expect(status.skipped).toEqual({ too_large: 1, binary: 1, too_small: 1, ignored: 2 });
    expect(status.files).toBe(3);
    expect((await found('repo-skips', literal('kept'))).map(([path]) => path)).toEqual([
      'ok.ts',
      'words.txt',
    ]);
    expect(await found('repo-skips', literal('NOT-INDEXED'))).toEqual([]);
    expect(await found('repo-skips', literal('blob', 'path'))).toEqual([]);
  });

  it('pages through the files of several repositories without gaps or repetitions', async () => {
    const names = Array.from({ length: 5 }, (_, n) => namedRepository(`repo-page-${n}`));
    for (const { id } of names)
      await index.apply(request(id, createRepository({ 'same.ts': 'pagedWord\n' })), patient);
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const searchRequest = ask(literal('pagedWord'), { repositories: names, limit: 2, offset });
      const page = await search.search(ours, searchRequest, patient);
      expect(page.stats.matched).toBe(5);
      seen.push(...page.files.map(({ repository }) => repository));
      offset = page.nextOffset;
    }
    expect(seen.toSorted()).toEqual(names.map(({ id }) => id).toSorted());
  });

  it('leaves nothing of a removed repository in answers or in the folder', async () => {
    const repository = createRepository({ 'a.ts': 'removedWord\n' });
    await index.apply(request('repo-gone', repository), patient);
    expect(await found('repo-gone', literal('removedWord'))).toHaveLength(1);
    await index.remove(ours, namedRepository('repo-gone').id);
    expect(await found('repo-gone', literal('removedWord'))).toEqual([]);
    const left = readdirSync(zoekt.indexDir, { recursive: true }).filter((file) =>
      String(file).includes('repo-gone'),
    );
    expect(left).toEqual([]);
  });

  it('removes a repository from the folder while the webserver is down', async () => {
    const repository = createRepository({ 'a.ts': 'awayWord\n' });
    const { id } = namedRepository('repo-away');
    await index.apply(request(id, repository), patient);
    const away = openZoektCodeIndex({ ...zoekt, url: 'http://127.0.0.1:1', http, log: silentLog });
    await away.remove(ours, id);
    expect(await index.status(ours, id)).toBeUndefined();
    expect(readdirSync(zoekt.indexDir).filter((file) => file.includes('repo-away'))).toEqual([]);
    await vi.waitFor(async () => expect(await found(id, literal('awayWord'))).toEqual([]), 120_000);
    await expect(away.apply(request(id, repository), patient)).rejects.toThrow(/Zoekt cannot be reached/);
  });

  it('detects missing shards and rebuilds them', async () => {
    const repository = createRepository({ 'a.ts': 'lostWord\n' });
    const { id } = namedRepository('repo-lost');
    const first = await index.apply(request(id, repository), patient);
    expect(await index.isDamaged(ours, id)).toBe(false);
    for (const file of readdirSync(zoekt.indexDir)) {
      if (file.includes('repo-lost')) rmSync(join(zoekt.indexDir, file), { force: true });
    }
    expect(await index.isDamaged(ours, id)).toBe(true);
    expect(await index.status(ours, id)).toBeUndefined();
    const again = await index.apply(request(id, repository), patient);
    expect(again).toMatchObject({ commit: first.commit, generation: first.generation + 1 });
    expect(await found(id, literal('lostWord'))).toHaveLength(1);
  });

  it('does not change the mirror', async () => {
    const repository = createRepository({ 'a.ts': 'untouched\n' });
    const before = repository.git('config', '--list', '--local');
    await index.apply(request('repo-mirror', repository), patient);
    expect(repository.git('config', '--list', '--local')).toBe(before);
    expect(readdirSync(`${repository.folder}/.git`)).not.toContain('zoekt');
    expect(repository.git('fsck', '--strict')).toBe('');
  });

  it('refuses branch names that cannot be passed to the indexer', async () => {
    const repository = createRepository({ 'a.ts': 'x\n' });
    repository.git('branch', 'a,b');
    const failed = index.apply(request('repo-comma', repository, ['main', 'a,b']), patient);
    await expect(failed).rejects.toThrow(InvalidInput);
    await expect(failed).rejects.toThrow(/"a,b": its name contains a comma/);
  });

  it('reports an indexer error while the previous index keeps answering', async () => {
    const repository = createRepository({ 'a.ts': 'formerWord\n' });
    const former = await index.apply(request('repo-former', repository), patient);
    repository.commit({ 'a.ts': 'newerWord\n' });
    const faulty = (gitIndex: string, more: object = {}) =>
      openZoektCodeIndex({ ...zoekt, http, log: silentLog, gitIndex, ...more });
    const apply = (by: CodeIndex, signal = patient) => by.apply(request('repo-former', repository), signal);
    await expect(apply(faulty('/nowhere/zoekt-git-index'))).rejects.toThrow(
      /was not found. Set ZOEKT_GIT_INDEX/,
    );
    await expect(apply(faulty(program('echo "disk is full" >&2; exit 1')))).rejects.toMatchObject({
      message: expect.stringMatching(/indexer of Zoekt failed/) as string,
      detail: { stderr: expect.stringContaining('disk is full') as string },
    });
    await expect(apply(faulty(program('exec sleep 60'), { indexMs: 200 }))).rejects.toThrow(
      /took longer than/,
    );
    const gone = new AbortController();
    const aborted = apply(faulty(program('exec sleep 60')), gone.signal);
    setTimeout(() => gone.abort(new Error('drained')), 100);
    await expect(aborted).rejects.toThrow('drained');
    await expect(apply(faulty(program('exit 0'), { servedMs: 300 }))).rejects.toThrow(
      /does not serve the new index. Check that its -index folder is the folder of ZOEKT_INDEX_DIR/,
    );
    expect(await index.status(ours, namedRepository('repo-former').id)).toEqual(former);
    expect(await found('repo-former', literal('formerWord'))).toHaveLength(1);
    expect(await apply(index)).toMatchObject({ generation: former.generation + 1 });
    expect(await found('repo-former', literal('newerWord'))).toHaveLength(1);
  });

  it('passes no environment variable of the service to the indexer', async () => {
    const repository = createRepository({ 'a.ts': 'x\n' });
    process.env['ORGCTX_TEST_SECRET'] = 'hush';
    try {
      const telling = openZoektCodeIndex({
        ...zoekt,
        http,
        log: silentLog,
        gitIndex: program('env >&2; exit 1'),
      });
      const failure: unknown = await telling
        .apply(request('repo-env', repository), patient)
        .catch((error) => error);
      const { stderr } = (failure as { detail: { stderr: string } }).detail;
      expect(stderr).toContain('GIT_CONFIG_NOSYSTEM=1');
      expect(stderr).not.toContain('hush');
    } finally {
      delete process.env['ORGCTX_TEST_SECRET'];
    }
  });
});
