import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeSearchProbe } from '../../../src/app/doctor/probe-code-search.ts';
import type { DefinitionReader } from '../../../src/backends/codesearch/definition-reader.ts';
import { openZoektCodeIndex } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-index.ts';
import { openZoektCodeSearch } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { codesearchCheck } from '../../../src/features/doctor/host/checks/codesearch.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { InvalidInput, Unavailable } from '../../../src/foundation/kernel/errors.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { type FaultyZoekt, type FoundFile, startFaultyZoekt } from '../../standins/faulty-zoekt.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient } from './query.ts';

const commit = 'c'.repeat(40);
const web = namedRepository('repo-web', 'acme/web');
const rank = {
  terms: ['lease'],
  identifiers: ['acquireLease'],
  paths: [],
  question: '',
  limit: 10,
  waitMs: 30_000,
};

function found(repository: string, path = 'a.ts', score = 1): FoundFile {
  const fragment = { LineOffset: 0, MatchLength: 5, SymbolInfo: null };
  const line = { Line: Buffer.from('lease\n').toString('base64'), LineNumber: 1, Before: null, After: null };
  const match = { ...line, FileName: false, Score: 1, LineFragments: [fragment] };
  return {
    FileName: path,
    Repository: repository,
    Version: commit,
    Branches: ['main'],
    Score: score,
    LineMatches: [match],
  };
}

describe('a search over a Zoekt that misbehaves', () => {
  const http = createHttpClient({ allowHosts: [] });
  let zoekt: FaultyZoekt;
  beforeAll(async () => {
    zoekt = await startFaultyZoekt();
  });
  afterAll(async () => {
    await zoekt[Symbol.asyncDispose]();
    await http.close();
  });
  const opened = () => openZoektCodeSearch({ url: zoekt.url, http });
  const searched = (more: Parameters<typeof ask>[1] = {}) =>
    opened().search(ours, ask(literal('lease'), more), patient);

  it('queries only the repositories of its organization, by name and by number', async () => {
    zoekt.behaviour = { kind: 'find', files: [] };
    await searched({ repositories: [web] });
    expect(zoekt.searches.at(-1)).toMatchObject({ RepoIDs: [web.number] });
    expect(zoekt.searches.at(-1)?.Q).toContain('r:"^(?:org\\\\x{2D}ours\\\\x{2F}.*)$"');
    await searched();
    expect(zoekt.searches.at(-1)?.RepoIDs).toBeUndefined();
    expect(zoekt.searches.at(-1)?.Q).toContain('r:"^(?:org\\\\x{2D}ours\\\\x{2F}.*)$"');
  });

  it('ranks with the text and definitions of the files, or without them if Zoekt does not send them', async () => {
    const text = '// Takes a lease.\nfunction acquireLease() {\n  return 1;\n}\n';
    const file = found('org-ours/repo-web');
    const definitions: DefinitionReader = {
      supports: () => true,
      read: async () => [[{ name: 'acquireLease', kind: 'function', line: 2 }]],
    };
    const search = openZoektCodeSearch({ url: zoekt.url, http, definitions });
    zoekt.behaviour = { kind: 'find', files: [{ ...file, Content: Buffer.from(text).toString('base64') }] };
    const asked = { ...rank, question: 'Where is a lease acquired?' };
    const { passages } = await search.rank(ours, asked, patient);
    expect(passages.best[0]).toMatchObject({
      startLine: 1,
      endLine: 4,
      lines: text
        .trimEnd()
        .split('\n')
        .map((one, at) => ({ line: at + 1, text: one })),
      definition: { name: 'acquireLease', line: 2, doc: { startLine: 1, endLine: 1 } },
    });
    expect(zoekt.searches.at(-1)?.Opts).toMatchObject({ Whole: true });
    expect(zoekt.searches.at(-1)?.Q).toContain('r:"^(?:org\\\\x{2D}ours\\\\x{2F}.*)$"');
    zoekt.behaviour = { kind: 'find', files: [file] };
    const without = await search.rank(ours, asked, patient);
    expect(without).toMatchObject({ files: [{ path: 'a.ts' }], passages: { best: [] } });
  });

  it('returns no file of another organization or of an unqueried repository, whatever Zoekt answers', async () => {
    const names = [
      'org-theirs/repo-web',
      'org-ours',
      'org-ours/',
      'org-ours/../x',
      'org-ours/repo-other',
      '',
    ];
    zoekt.behaviour = {
      kind: 'find',
      files: [...names.map((name) => found(name)), found('org-ours/repo-web')],
    };
    const answer = await searched({ repositories: [web] });
    expect(answer.files.map(({ repository, path }) => [repository, path])).toEqual([[web.id, 'a.ts']]);
    const ranked = await opened().rank(ours, { ...rank, repositories: [web] }, patient);
    expect(ranked.files.map(({ repository }) => repository)).toEqual([web.id]);
    const all = await opened().rank(ours, rank, patient);
    expect(all.files.map(({ repository }) => repository).toSorted()).toEqual(['repo-other', 'repo-web']);
  });

  it('sends no request when no repository is in scope', async () => {
    const before = zoekt.searches.length;
    expect((await searched({ repositories: [] })).files).toEqual([]);
    expect((await searched({ repositories: [namedRepository('../org-theirs/x')] })).files).toEqual([]);
    expect((await opened().rank(ours, { ...rank, repositories: [] }, patient)).files).toEqual([]);
    expect(zoekt.searches.length).toBe(before);
  });

  it.each([
    ['words', 200, 'hello'],
    ['HTML', 200, '<!doctype html><title>Welcome</title>'],
    ['another shape', 200, '{"items":[]}'],
    ['a list instead of a result', 200, '{"Result":[]}'],
    ['a file without a name', 200, '{"Result":{"Crashes":0,"FileCount":1,"Files":[{}]}}'],
    ['an error', 500, '{"Error":"shard is gone"}'],
    ['a gateway', 502, 'Bad Gateway'],
  ])('reports that the server is not a Zoekt when it answers %s', async (_what, status, body) => {
    zoekt.behaviour = { kind: 'respond', status, body };
    const failed = searched();
    await expect(failed).rejects.toThrow(Unavailable);
    await expect(failed).rejects.toThrow(/CODESEARCH_URL does not respond like zoekt-webserver/);
  });

  it('distinguishes a webserver without -rpc from a server that is not a Zoekt', async () => {
    zoekt.behaviour = { kind: 'respond', status: 404, body: '404 page not found\n' };
    await expect(searched()).rejects.toThrow(/Start zoekt-webserver with -rpc/);
  });

  it('passes on what Zoekt rejects about a query', async () => {
    zoekt.behaviour = { kind: 'respond', status: 400, body: '{"Error":"error parsing regexp: too large"}' };
    const failed = searched();
    await expect(failed).rejects.toThrow(InvalidInput);
    await expect(failed).rejects.toThrow(/too large/);
  });

  it('times out shortly after the deadline', async () => {
    zoekt.behaviour = { kind: 'silent' };
    const started = performance.now();
    const failed = searched({ deadlineMs: 50 });
    await expect(failed).rejects.toThrow(Unavailable);
    await expect(failed).rejects.toThrow(/did not answer in time/);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('stops waiting when the caller disconnects', async () => {
    zoekt.behaviour = { kind: 'silent' };
    const gone = new AbortController();
    const failed = opened().search(ours, ask(literal('lease')), gone.signal);
    setImmediate(() => gone.abort(new Error('gone')));
    await expect(failed).rejects.toThrow('gone');
  });

  it('reports that Zoekt is unreachable when nothing listens or the response breaks off', async () => {
    zoekt.behaviour = { kind: 'disconnect' };
    await expect(searched()).rejects.toThrow(/Zoekt cannot be reached/);
    const nobody = openZoektCodeSearch({ url: 'http://127.0.0.1:1', http });
    await expect(nobody.search(ours, ask(literal('x')), patient)).rejects.toThrow(
      /Check that zoekt-webserver runs/,
    );
  });

  it('searches once more when Zoekt closes the connection', async () => {
    zoekt.behaviour = { kind: 'disconnect', until: zoekt.searches.length + 1 };
    expect(await searched()).toMatchObject({ files: [] });
  });

  it('pages without gaps or repetitions when Zoekt truncates its answer among files of equal score', async () => {
    const paths = Array.from({ length: 90 }, (_, n) => `file-${n}.ts`);
    const files = paths.map((path, n) => found('org-ours/repo-web', path, n < 3 ? 2 : 1));
    zoekt.behaviour = { kind: 'find', files, rotating: true };
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await searched({ limit: 10, offset });
      expect(page.stats.matched).toBe(90);
      seen.push(...page.files.map(({ path }) => path));
      offset = page.nextOffset;
    }
    expect(seen).toHaveLength(90);
    expect(new Set(seen)).toEqual(new Set(paths));
  });

  it('returns the best files and reports that there are more when their lines exceed one answer', async () => {
    const line = found('org-ours/repo-web').LineMatches[0]!;
    const files = Array.from({ length: 9 }, (_, n) => ({
      ...found('org-ours/repo-web', `file-${n}.ts`, 10 - n),
      LineMatches: Array.from({ length: 12_000 }, (__, at) => ({ ...line, LineNumber: at + 1 })),
    }));
    zoekt.behaviour = { kind: 'find', files };
    const max = { deadlineMs: 30_000, matchesPerFile: 1 };
    const answer = await searched({ limit: 8, ...max });
    expect(answer).toMatchObject({ incomplete: 'limit', stats: { matched: 9 } });
    expect(answer.nextOffset).toBeUndefined();
    expect(answer.files.map(({ path, moreMatches }) => [path, moreMatches])).toEqual(
      [0, 1, 2, 3].map((n) => [`file-${n}.ts`, 11_999]),
    );
    const page = await searched({ limit: 2, ...max });
    expect(page).toMatchObject({ nextOffset: 2, files: [{ path: 'file-0.ts' }, { path: 'file-1.ts' }] });
    expect(page.incomplete).toBeUndefined();
  });

  it('reports when there may be more matches than were found', async () => {
    const files = [found('org-ours/repo-web')];
    zoekt.behaviour = { kind: 'find', files, stats: { FilesSkipped: 3 } };
    expect(await searched()).toMatchObject({ incomplete: 'limit', files: [{ path: 'a.ts' }] });
    zoekt.behaviour = { kind: 'find', files, stats: { ShardsSkipped: 1, Crashes: 1 } };
    expect(await searched()).toMatchObject({ incomplete: 'damaged' });
    expect(await opened().rank(ours, rank, patient)).toMatchObject({ incomplete: 'damaged' });
    zoekt.behaviour = { kind: 'find', files };
    expect((await searched()).incomplete).toBeUndefined();
  });

  it('fails the check of orgctx doctor with the next step', async () => {
    const home = temporaryFolder();
    const env = { CODESEARCH_KIND: 'zoekt', CODESEARCH_URL: zoekt.url, ZOEKT_INDEX_DIR: join(home, 'index') };
    const settings = loadConfig({ env, cwd: home, homeDir: home });
    const askCodeSearch = codeSearchProbe(settings, patient);
    const look = () => codesearchCheck.run({ ...settings, clock: systemClock, askCodeSearch });
    zoekt.behaviour = { kind: 'respond', status: 404, body: '404 page not found' };
    expect(await look()).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('Start zoekt-webserver with -rpc') as string,
    });
    zoekt.behaviour = { kind: 'respond', status: 200, body: '{"List":{"Repos":[]}}' };
    expect(await look()).toMatchObject({ status: 'pass', message: 'Zoekt answers.' });
  });
});

describe('the index folder', () => {
  it('is created for this account only, and keeps its mode if it exists', async () => {
    const http = createHttpClient({ allowHosts: [] });
    const repository = createRepository({ 'a.ts': 'x\n' });
    const parent = temporaryFolder();
    const there = join(parent, 'there');
    mkdirSync(there);
    chmodSync(there, 0o750);
    for (const [indexDir, mode] of [
      [join(parent, 'made'), 0o700],
      [there, 0o750],
    ] as const) {
      const index = openZoektCodeIndex({
        url: 'http://127.0.0.1:1',
        http,
        log: silentLog,
        indexDir,
        gitIndex: '/bin/false',
      });
      const to = repository.git('rev-parse', 'HEAD');
      const request = indexRequest({
        scope: ours,
        repository: 'repo-web',
        gitDir: `${repository.folder}/.git`,
        to,
      });
      await expect(index.apply(request, patient)).rejects.toThrow(/indexer of Zoekt failed/);
      expect(statSync(indexDir).mode & 0o777).toBe(mode);
    }
    await http.close();
  });
});
