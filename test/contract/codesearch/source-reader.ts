import { describe, expect, it } from 'vitest';
import {
  type DiffRequest,
  type HistoryRequest,
  maxSourceBytes,
  type ReadFileRequest,
  type SourceReader,
} from '../../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';

/** Two organizations. The repository of the first holds `sourceFixture` at `first`, and a change of it at `indexed`. */
export interface SourceReaderWorld {
  readonly reader: SourceReader;
  readonly scope: OrgScope;
  readonly foreignScope: OrgScope;
  readonly repository: RepositoryId;
  readonly first: string;
  readonly indexed: string;
}

export const sourceFixture = {
  'README.md': '# Title\n',
  'src/a.ts': 'one\ntwo\n',
  'src/deep/b.go': 'package b\n',
  'src/Ünï cödé [x]*.txt': 'odd name\n',
  'src/-n': 'option-looking\n',
  'empty.txt': '',
  'latin1.txt': Buffer.from('caf\u00e9\n', 'latin1'),
  'binary.bin': Buffer.from([65, 0, 66]),
  'binary-late.bin': Buffer.concat([Buffer.alloc(8191, 'a'), Buffer.from([0])]),
  'marked.txt': '\ufeffone\n',
  'wide-little.txt': Buffer.from('\ufeffone é\n', 'utf16le'),
  'wide-big.txt': Buffer.from('\ufeffone é\n', 'utf16le').swap16(),
  'large.txt': 'x'.repeat(maxSourceBytes + 1),
  'exact.txt': 'y'.repeat(maxSourceBytes),
  'one-line': 'src/a.ts',
  tool: '#!/usr/bin/env -S python3 -u\n',
} as const;

/** The change of the second commit. The link `src/link` -> `a.ts` and a submodule `lib` are part of the first. */
export const sourceChange = { 'src/a.ts': 'changed\n' } as const;

const signal = new AbortController().signal;

/** The contract of every `SourceReader`. */
export function describeSourceReader(name: string, open: () => Promise<SourceReaderWorld>): void {
  const read = async (path: string, more: Partial<ReadFileRequest> = {}) => {
    const { reader, scope, repository } = await open();
    return reader.readFile(scope, { repository, path, ...more }, signal);
  };
  const list = async (path: string, more: Partial<ReadFileRequest> = {}) => {
    const { reader, scope, repository } = await open();
    return reader.listTree(scope, { repository, path, ...more }, signal);
  };

  describe(`SourceReader: ${name}`, () => {
    it('reads the indexed commit unless another is named', async () => {
      const { first, indexed } = await open();
      expect(await read('src/a.ts')).toEqual({
        commit: indexed,
        path: 'src/a.ts',
        language: 'TypeScript',
        bytes: 8,
        content: 'changed\n',
      });
      expect(await read('src/a.ts', { commit: first })).toMatchObject({
        commit: first,
        content: 'one\ntwo\n',
      });
      expect(await read('src/a.ts', { commit: first.slice(0, 10) })).toMatchObject({ commit: first });
    });

    it('reads the commits of lines and of a path, and nothing of another organization', async () => {
      const { reader, scope, foreignScope, repository, first, indexed } = await open();
      const idsOf = async (request: Partial<HistoryRequest>, of = scope) => {
        const asked = { repository, path: 'src/a.ts', skip: 0, max: 10, files: false, ...request };
        return (await reader.readHistory(of, asked, signal))?.commits.map(({ id }) => id);
      };
      expect(await idsOf({ lines: { startLine: 1, endLine: 1 } })).toEqual([indexed, first]);
      expect(await idsOf({})).toEqual([indexed, first]);
      expect(await idsOf({ commit: first })).toEqual([first]);
      expect(await idsOf({ lines: { startLine: 90, endLine: 91 } })).toBeUndefined();
      expect(await idsOf({ path: 'src/gone.ts' })).toEqual([]);
      expect(await idsOf({}, foreignScope)).toBeUndefined();
      expect(await idsOf({ said: ['chan', 'nothing'] })).toEqual([indexed]);
      expect(await idsOf({ said: ['hange', 'hang'] })).toEqual([]);
      expect(await idsOf({ said: ['chan', '.*'] })).toBeUndefined();
      expect(await idsOf({ path: '' })).toEqual([]);
      expect(await idsOf({ said: ['chan'] }, foreignScope)).toBeUndefined();
    });

    it('finds the commits that a followed branch reaches, and nothing of another organization', async () => {
      const { reader, scope, foreignScope, repository, first, indexed } = await open();
      const find = (commit: string, of = scope) => reader.findCommits(of, { repository, commit }, signal);
      const change = {
        id: indexed,
        time: expect.any(Number),
        author: { name: 'Test', email: 'test@example.com' },
        committer: { name: 'Test', email: 'test@example.com' },
        message: 'Change\n',
        paths: ['src/a.ts'],
        changed: 1,
      };
      expect(await find(indexed)).toEqual([change]);
      expect(await find(indexed.slice(0, 7))).toEqual([change]);
      expect(await find(first)).toMatchObject([{ id: first, message: 'Start\n' }]);
      for (const commit of ['HEAD', 'main', '--all', 'deadbee', '0'.repeat(40), '', 'a\nb'])
        expect([commit, await find(commit)]).toEqual([commit, []]);
      for (const commit of [indexed, first.slice(0, 7)]) expect(await find(commit, foreignScope)).toEqual([]);
      await expect(
        reader.findCommits(scope, { repository, commit: first }, AbortSignal.abort()),
      ).rejects.toThrow();
    });

    it('lists commits by path, lines, words, author and time, and none of another organization', async () => {
      const { reader, scope, foreignScope, repository, first, indexed } = await open();
      const history = (request: Partial<HistoryRequest>, of = scope) =>
        reader.readHistory(of, { repository, skip: 0, max: 10, files: true, ...request }, signal);
      const idsOf = async (request: Partial<HistoryRequest>) =>
        (await history(request))?.commits.map(({ id }) => id);
      expect(await history({ max: 1 })).toEqual({
        commit: indexed,
        commits: [
          {
            id: indexed,
            time: expect.any(Number),
            author: { name: 'Test', email: 'test@example.com' },
            message: 'Change',
            paths: ['src/a.ts'],
            changed: 1,
          },
        ],
        more: true,
        whole: true,
      });
      expect(await idsOf({ skip: 1 })).toEqual([first]);
      expect((await history({ skip: 1 }))?.commits[0]?.paths).toHaveLength(18);
      expect((await history({ files: false }))?.commits[0]?.paths).toEqual([]);
      expect(await idsOf({ path: 'src' })).toEqual([indexed, first]);
      expect(await idsOf({ path: 'README.md' })).toEqual([first]);
      expect(await idsOf({ path: 'src/a.ts', commit: first.slice(0, 9) })).toEqual([first]);
      expect(await idsOf({ path: 'src/a.ts', lines: { startLine: 1, endLine: 1 } })).toEqual([
        indexed,
        first,
      ]);
      expect(await idsOf({ words: ['CHANG'], author: 'test' })).toEqual([indexed]);
      for (const none of [
        { path: 'gone.ts' },
        { path: '../x' },
        { author: 'nobody' },
        { since: 4e9 },
        { until: 1 },
      ])
        expect([none, await idsOf(none)]).toEqual([none, []]);
      expect(await history({ path: 'src/a.ts', lines: { startLine: 90, endLine: 91 } })).toBeUndefined();
      for (const commit of ['HEAD', '--all', '0'.repeat(40)])
        expect(await history({ commit })).toBeUndefined();
      for (const request of [{}, { commit: first }, { path: 'src/a.ts' }])
        expect(await history(request, foreignScope)).toBeUndefined();
      await expect(
        reader.readHistory(scope, { repository, skip: 0, max: 1, files: true }, AbortSignal.abort()),
      ).rejects.toThrow();
    });

    it('reads what a commit changed, and nothing of another organization', async () => {
      const { reader, scope, foreignScope, repository, first, indexed } = await open();
      const changes = (request: Partial<DiffRequest> = {}, of = scope) =>
        reader.readDiff(of, { repository, commit: indexed, offset: 0, maxBytes: 9_000, ...request }, signal);
      expect(await changes()).toEqual({
        commit: indexed,
        parents: [first],
        files: [{ path: 'src/a.ts', status: 'changed', added: 1, removed: 2 }],
        text: expect.stringMatching(/^diff --git a\/src\/a\.ts [^]*\n-one\n-two\n\+changed$/) as string,
        continues: [],
        cut: false,
      });
      expect(await changes({ commit: first, path: 'binary.bin' })).toMatchObject({
        parents: [],
        files: [{ path: 'binary.bin', status: 'added', binary: true }],
      });
      const page = await changes({ maxBytes: 50 });
      expect(page).toMatchObject({ text: 'diff --git a/src/a.ts b/src/a.ts' });
      expect(await changes({ offset: page?.next ?? 0 })).toMatchObject({
        text: expect.stringMatching(/^index /) as string,
        files: [],
      });
      expect(await changes({ path: 'gone.ts' })).toMatchObject({ files: [], text: '' });
      expect(
        (await changes({ path: 'src/a.ts', lines: { startLine: 50, endLine: 60 } }))?.text,
      ).not.toContain('@@');
      for (const commit of ['HEAD', '--all', '0'.repeat(40)])
        expect(await changes({ commit })).toBeUndefined();
      for (const commit of [indexed, first.slice(0, 7)])
        expect(await changes({ commit }, foreignScope)).toBeUndefined();
    });

    it.each(['src/Ünï cödé [x]*.txt', 'src/-n', 'one-line', 'empty.txt', 'exact.txt'] as const)(
      'reads %s byte for byte',
      async (path) => {
        expect(await read(path)).toMatchObject({ content: sourceFixture[path] });
      },
    );

    it('returns the same lines in which a search counts columns, without a byte order mark', async () => {
      expect(await read('marked.txt')).toMatchObject({ bytes: 7, content: 'one\n' });
      for (const path of ['wide-little.txt', 'wide-big.txt'])
        expect(await read(path)).toMatchObject({ bytes: 14, content: 'one é\n' });
    });

    it('names the language by the first line of a script whose name has none', async () => {
      expect(await read('tool')).toMatchObject({ language: 'Python' });
    });

    it('replaces bytes that are not UTF-8 and returns no text of a binary or too large file', async () => {
      expect(await read('latin1.txt')).toMatchObject({ bytes: 5, content: 'caf\ufffd\n' });
      expect(await read('binary.bin')).toMatchObject({ bytes: 3, content: undefined });
      // The limit of the index: exactly the files that are searched can be read.
      expect(await read('binary-late.bin')).toMatchObject({ bytes: 8192, content: undefined });
      expect(await read('large.txt')).toMatchObject({ bytes: maxSourceBytes + 1, content: undefined });
    });

    it.each([
      '',
      'src',
      'gone.ts',
      'src/a.ts/x',
      'src/link',
      'lib',
      '../README.md',
      '/README.md',
      'src/../README.md',
      'src/',
      ':README.md',
      'a\0b',
      'a\nb',
    ])('finds no file at %j', async (path) => {
      expect(await read(path)).toBeUndefined();
    });

    it.each([
      'main',
      'HEAD',
      'refs/heads/main',
      '--all',
      'HEAD~1',
      'deadbee',
      '0'.repeat(40),
      'f'.repeat(64),
      '',
      'main:src/a.ts',
    ])('finds no commit %j', async (commit) => {
      expect(await read('src/a.ts', { commit })).toBeUndefined();
      expect(await list('', { commit })).toBeUndefined();
    });

    it('lists a folder, folders first, then by name', async () => {
      const root = await list('');
      expect(root?.entries.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
        'directory src',
        'file README.md',
        'file binary-late.bin',
        'file binary.bin',
        'file empty.txt',
        'file exact.txt',
        'file large.txt',
        'file latin1.txt',
        'submodule lib',
        'file marked.txt',
        'file one-line',
        'file tool',
        'file wide-big.txt',
        'file wide-little.txt',
      ]);
      const { indexed } = await open();
      const folder = await list('src');
      expect(folder?.commit).toBe(indexed);
      expect(folder?.entries).toContainEqual({ path: 'src/a.ts', kind: 'file', bytes: 8 });
      expect(folder?.entries).toContainEqual({ path: 'src/link', kind: 'symlink', bytes: 4 });
      expect(folder?.entries[0]).toEqual({ path: 'src/deep', kind: 'directory', bytes: 0 });
    });

    it.each(['gone', 'src/a.ts', 'lib', '..', 'src/../src'])('finds no folder %j', async (path) => {
      expect(await list(path)).toBeUndefined();
    });

    it('returns nothing of a repository of another organization, whatever is named', async () => {
      const { reader, foreignScope, repository, indexed, first } = await open();
      for (const commit of [undefined, indexed, first]) {
        const request = { repository, path: 'src/a.ts', ...(commit === undefined ? {} : { commit }) };
        expect(await reader.readFile(foreignScope, request, signal)).toBeUndefined();
        expect(await reader.listTree(foreignScope, { ...request, path: '' }, signal)).toBeUndefined();
      }
    });

    it('treats an id as an id and never as a path', async () => {
      const { reader, scope, foreignScope, repository, first } = await open();
      const hostileIds = [
        `../${scope.organizationId}/${repository}`,
        '.',
        '..',
        '',
        `${repository}\0`,
      ] as RepositoryId[];
      for (const id of hostileIds) {
        const named = { repository: id, path: 'src/a.ts', commit: first };
        expect(await reader.readFile(foreignScope, named, signal)).toBeUndefined();
        expect(
          await reader.readFile(foreignScope, { repository: id, path: 'src/a.ts' }, signal),
        ).toBeUndefined();
      }
    });

    it('stops when it is cancelled', async () => {
      const { reader, scope, repository } = await open();
      const cancelled = AbortSignal.abort();
      await expect(reader.readFile(scope, { repository, path: 'src/a.ts' }, cancelled)).rejects.toThrow();
    });
  });
}
