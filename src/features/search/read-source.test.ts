import { beforeAll, describe, expect, it } from 'vitest';
import { memorySources, type ScannedCode } from '../../../test/support/codesearch/scanned-code.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import type { SourceReader } from '../../backends/codesearch/port.ts';
import type { Database } from '../../foundation/db/database.ts';
import { InvalidInput, NotFound, TooLarge } from '../../foundation/kernel/errors.ts';
import { parseLineRange } from '../../foundation/kernel/wire/line-range.ts';
import { listSource, readSource } from './read-source.ts';
import { sliceLines } from './slice-lines.ts';
import { sourcePath } from './source-path.ts';

const never = new AbortController().signal;
const commit = 'a'.repeat(40);
const long = Array.from({ length: 600 }, (_, index) => `line ${index + 1}\n`).join('');

async function world(database: Database) {
  const ours = await seedOrganization(database, 'ours');
  const otherScope = await seedOrganization(database, 'other');
  const api = await seedRepository(database, ours, { name: 'api', indexedCommit: commit });
  await seedRepository(database, ours, { name: 'new', state: 'cloning' });
  const secret = await seedRepository(database, otherScope, { name: 'secret', indexedCommit: commit });
  const files = {
    'src/a.ts': 'one\ntwo\r\nthree',
    'src/deep/b.ts': '',
    'long.txt': long,
    'x.png': new Uint8Array([0, 1]),
    'big.txt': 'x'.repeat(1024 * 1024 + 1),
  };
  const code: ScannedCode = new Map([
    [api, { scope: ours, commit, files }],
    [secret, { scope: otherScope, commit, files: { 'x.ts': 'secret' } }],
  ]);
  let lookUps = 0;
  const memory = memorySources(code);
  const sources: SourceReader = {
    ...memory,
    readFile: (...request) => {
      lookUps += 1;
      return memory.readFile(...request);
    },
    listTree: (...request) => {
      lookUps += 1;
      return memory.listTree(...request);
    },
  };
  const deps = { sources, queries: database.queries };
  /** Folders whose listing takes longer than the time-out. */
  const slow: SourceReader = {
    ...memory,
    listTree: (_scope, _request, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
  };
  return {
    readSlowly: (path: string) =>
      readSource({ ...deps, sources: slow }, ours, { repository: 'api', path }, never),
    lookUps: () => lookUps,
    api,
    secret,
    read: (
      path: string,
      { lines, ...more }: { lines?: string; commit?: string; repository?: string } = {},
    ) => {
      const range = lines === undefined ? {} : { lines: parseLineRange(lines) };
      return readSource(deps, ours, { repository: 'api', path, ...more, ...range }, never);
    },
    list: (path?: string, repository = 'api') =>
      listSource(deps, ours, { repository, ...(path === undefined ? {} : { path }) }, never),
  };
}

describeEachDatabase('readSource', (open) => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    here = await world(await open());
  });

  it('names no nearest folder if the search for it times out', async () => {
    await expect(here.readSlowly('src/gone.ts')).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(
        /^`src\/gone.ts` is not in `api`; list a folder above it to see what exists\.$/u,
      ) as string,
    });
  });

  it('returns a whole file with its location', async () => {
    const { read, api } = here;
    const file = {
      repository: 'api',
      commit,
      path: 'src/a.ts',
      language: 'TypeScript',
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      content: 'one\ntwo\r\nthree',
    };
    expect(await read('src/a.ts')).toEqual(file);
    expect(await read('/./src//a.ts', { repository: api, commit: commit.slice(0, 7).toUpperCase() })).toEqual(
      file,
    );
  });

  it('returns the requested lines', async () => {
    const { read } = here;
    expect(await read('src/a.ts', { lines: '2' })).toMatchObject({
      startLine: 2,
      endLine: 2,
      totalLines: 3,
      content: 'two\r\n',
    });
    expect(await read('src/a.ts', { lines: '2-' })).toMatchObject({ endLine: 3, content: 'two\r\nthree' });
    expect(await read('src/a.ts', { lines: '2-99' })).toMatchObject({ endLine: 3 });
  });

  it('limits a response and says how to continue', async () => {
    const { read } = here;
    expect(await read('long.txt')).toMatchObject({
      endLine: 500,
      totalLines: 600,
      notice: 'Lines 1-500 of 600; request lines=501- to continue.',
    });
    expect(await read('long.txt', { lines: '501-' })).toMatchObject({ endLine: 600 });
    expect(await read('long.txt', { lines: '501-' })).not.toHaveProperty('notice');
    expect(await read('long.txt', { lines: '2-3' })).not.toHaveProperty('notice');
  });

  it('reads an empty file', async () => {
    const { read } = here;
    expect(await read('src/deep/b.ts')).toMatchObject({
      startLine: 1,
      endLine: 0,
      totalLines: 0,
      content: '',
    });
  });

  it('says why a binary or too large file has no text', async () => {
    const { read } = here;
    await expect(read('x.png')).rejects.toThrow(/binary file of 2 bytes/u);
    await expect(read('big.txt')).rejects.toBeInstanceOf(TooLarge);
  });

  it.each([
    ['src/gone.ts', /nearest folder is `src`/u],
    ['src/gone.ts#L10-L20', /; pass `src\/gone\.ts` as the path and `10-20` as the lines\.$/u],
    ['src/gone.ts:10', /; pass `src\/gone\.ts` as the path and `10` as the lines\.$/u],
    ['no/such/file', /nearest folder is the root/u],
    ['src', /is a folder: list it instead/u],
    ['', /is a folder/u],
  ])('names what exists instead of %s', async (path, message) => {
    const { read } = here;
    const problem = await read(path).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(NotFound);
    expect(problem).toHaveProperty('message', expect.stringMatching(message));
  });

  it.each([
    ['src/deep/', 61, /nearest folder is `src\/deep`/u, 9],
    ['no/', 61, /nearest folder is the root/u, 9],
    ['src/', 2000, /^`src\/x.* is not in `api`; list a folder above it/u, 1],
  ])('needs few look-ups for a file below %s and %i missing folders', async (above, deep, words, max) => {
    const { read, lookUps } = here;
    const before = lookUps();
    await expect(read(`${above}${'x/'.repeat(deep)}y`)).rejects.toThrow(words);
    expect(lookUps() - before).toBeLessThanOrEqual(max);
  });

  it('returns the same error for missing repositories and those of other organizations', async () => {
    const { read, secret } = here;
    const answers = await Promise.all(
      ['secret', secret, 'zzz'].map((repository) =>
        read('x.ts', { repository }).catch((error: Error) => error.message.replace(repository, '?')),
      ),
    );
    expect(new Set(answers)).toEqual(
      new Set(['There is no repository `?` here; list the repositories to see which exist.']),
    );
  });

  it('says that a repository is not readable yet', async () => {
    const { read } = here;
    await expect(read('x.ts', { repository: 'new' })).rejects.toThrow(
      /`new` is not readable yet \(cloning\)/u,
    );
  });

  it.each(['main', 'HEAD', 'abc', '--help', 'a'.repeat(65), 'HEAD~1', `${commit}:x`, ''])(
    'takes no revision but a commit id: %s',
    async (text) => {
      const { read } = here;
      await expect(read('src/a.ts', { commit: text })).rejects.toThrow(/must be a commit id/u);
    },
  );

  it('names an unknown commit', async () => {
    const { read } = here;
    await expect(read('src/a.ts', { commit: 'bbbbbbb' })).rejects.toThrow(/Commit bbbbbbb is not in `api`/u);
  });
});

describeEachDatabase('listSource', (open) => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    here = await world(await open());
  });

  it('lists a folder, the root by default', async () => {
    const { list } = here;
    expect((await list()).entries.map(({ path }) => path)).toEqual(['big.txt', 'long.txt', 'src', 'x.png']);
    expect((await list('src/')).entries).toEqual([
      { path: 'src/a.ts', kind: 'file', bytes: 14 },
      { path: 'src/deep', kind: 'directory', bytes: 0 },
    ]);
  });

  it('says what exists instead of a folder', async () => {
    const { list } = here;
    await expect(list('src/a.ts')).rejects.toThrow(/is a file: read it instead/u);
    await expect(list('nothing')).rejects.toThrow(/nearest folder is the root/u);
    await expect(list('', 'secret')).rejects.toBeInstanceOf(NotFound);
  });
});

describe('a path', () => {
  it.each([
    ['a/b', 'a/b'],
    ['/a//b/', 'a/b'],
    ['./a', 'a'],
    ['', ''],
    ['a..b/...', 'a..b/...'],
    ['-n', '-n'],
    [':(glob)*', ':(glob)*'],
  ])('is normalized to the form of Git: %s', (text, path) => {
    expect(sourcePath(text)).toBe(path);
  });

  it.each(['..', '../etc/passwd', 'a/../b', 'a\0b', 'x'.repeat(4097)])(
    'is refused when it can name nothing: %.20s',
    (text) => {
      expect(() => sourcePath(text)).toThrow(InvalidInput);
    },
  );
});

describe('a line range', () => {
  it.each(['', '0', '-5', '5-2', 'a', '1-2-3', '1,2', ' 1', '1e3', '0-5', '9'.repeat(12)])(
    'is refused when it is none: %s',
    (text) => {
      expect(() => parseLineRange(text)).toThrow(InvalidInput);
    },
  );

  it('is refused past the end of the file', () => {
    expect(() => sliceLines('a\nb\n', { first: 3, last: undefined })).toThrow(/the file has 2 lines/u);
    expect(() => sliceLines('', { first: 2, last: 3 })).toThrow(/the file has 0 lines/u);
  });

  it('is truncated to 24 KB between lines, or inside a line that is longer', () => {
    const line = `${'x'.repeat(9999)}\n`;
    expect(sliceLines(line.repeat(3), { first: 1, last: undefined })).toMatchObject({
      endLine: 2,
      totalLines: 3,
      lineTruncated: false,
    });
    const cut = sliceLines(`${'é'.repeat(20_000)}\nnext`, { first: 1, last: undefined });
    expect(cut).toMatchObject({ endLine: 1, lineTruncated: true });
    expect(cut.content).toBe('é'.repeat(12_288));
  });
});
