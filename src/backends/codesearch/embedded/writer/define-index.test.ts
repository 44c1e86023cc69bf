import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, literal } from '../../../../../test/contract/codesearch/query.ts';
import { applyAndDefine } from '../../../../../test/support/codesearch/index-request.ts';
import { indexedDefinitions, indexedFiles } from '../../../../../test/support/codesearch/indexed-files.ts';
import {
  folderOf,
  id,
  manifestOf,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { definitionReader } from '../../../../../test/support/languages/find-definitions.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { DefinitionReader } from '../../definition-reader.ts';
import type { IndexStatus, Query, RankedPassage, RankResult, SearchResult } from '../../port.ts';
import { type EmbeddedCodeIndex } from '../open-embedded-code-search.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { runTask } from '../thread/run-task.ts';
import type { Task, TaskResult } from '../thread/task.ts';

const { signal } = new AbortController();
let root: string;
let repository: TestRepository;
let index: EmbeddedCodeIndex;
/** The paths that the reader was asked for, in order. */
let asked: string[];
/** Runs before the reader reads. */
let before: (signal: AbortSignal) => Promise<void> | void;

beforeEach(() => {
  root = temporaryFolder();
  repository = createRepository({
    'a.ts': 'export function first() {}\n',
    'b.go': 'func second() {}\n',
    'empty.ts': '',
    'read.me': 'function none() {}\n',
  });
  asked = [];
  before = () => undefined;
  index = openWith(definitionReader);
});

function openWith({ supports, read }: DefinitionReader): EmbeddedCodeIndex {
  const definitions: DefinitionReader = {
    supports,
    read: async (files, stop) => {
      asked.push(...files.map(({ path }) => path));
      await before(stop);
      return read(files, stop);
    },
  };
  return openTestIndex({ root, log: silentLog, definitions });
}

const head = (): string => repository.git('rev-parse', 'HEAD');
const request = () => requestOf(repository, head());
const apply = (): Promise<IndexStatus> => index.apply(request(), signal);
const define = (stop: AbortSignal = signal): Promise<IndexStatus> => index.define(request(), stop);
const applyAll = (): Promise<IndexStatus> => applyAndDefine(index, request());
const definitions = () => indexedDefinitions(root, 'org');
const takeAsked = (): string[] => asked.splice(0).toSorted();

describe('the definitions of an index', () => {
  it('follow after the text, in the next generation, and only of files that can have some', async () => {
    expect(await apply()).toMatchObject({ generation: 1, files: 4, filesWithoutDefinitions: 2 });
    expect(asked).toEqual([]);
    expect(definitions()).toEqual({ 'a.ts': ['?'], 'b.go': ['?'], 'empty.ts': ['?'], 'read.me': ['?'] });
    expect(await define()).toMatchObject({ generation: 2, files: 4, filesWithoutDefinitions: 0 });
    expect(takeAsked()).toEqual(['a.ts', 'b.go']);
    expect(definitions()).toMatchObject({ 'a.ts': ['first'], 'b.go': ['second'] });
    expect(await index.status(scope, id)).toMatchObject({ generation: 2, filesWithoutDefinitions: 0 });
  });

  it('are read once: a repeated call changes nothing', async () => {
    const status = await applyAll();
    takeAsked();
    expect(await define()).toEqual(status);
    expect(await apply()).toEqual(status);
    expect(asked).toEqual([]);
  });

  it('are read of the changed files only after a push, also when pushes are merged', async () => {
    await applyAll();
    takeAsked();
    for (let push = 0; push < 10; push++) {
      repository.commit({ [`push${push}.ts`]: `function push${push}() {}\n` });
      await applyAll();
      expect(takeAsked()).toEqual([`push${push}.ts`]);
    }
    const known = definitions();
    expect(await index.compact(request(), signal)).toMatchObject({ filesWithoutDefinitions: 0 });
    expect(manifestOf(root).segments).toHaveLength(1);
    expect(asked).toEqual([]);
    expect(definitions()).toEqual(known);
    expect(known).toMatchObject({ 'a.ts': ['first'], 'push0.ts': ['push0'], 'push9.ts': ['push9'] });
  });

  it('stay missing in merged segments until they are read', async () => {
    await applyAll();
    for (let push = 0; push < 9; push++) {
      repository.commit({ [`push${push}.ts`]: `function push${push}() {}\n` });
      await (push < 4 ? applyAll() : apply());
    }
    takeAsked();
    expect(await index.compact(request(), signal)).toMatchObject({ filesWithoutDefinitions: 5 });
    expect(definitions()).toMatchObject({ 'a.ts': ['first'], 'push3.ts': ['push3'], 'push4.ts': ['?'] });
    await applyAll();
    expect(takeAsked()).toEqual(['push4.ts', 'push5.ts', 'push6.ts', 'push7.ts', 'push8.ts']);
  });

  it('are read once for files with the same text', async () => {
    const same = 'function same() {}\n';
    repository.commit({ 'x/1.ts': same, 'x/2.ts': same, 'x/3.go': same });
    await applyAll();
    expect(takeAsked()).toEqual(['a.ts', 'b.go', 'x/1.ts', 'x/3.go']);
    expect(definitions()).toMatchObject({ 'x/1.ts': ['same'], 'x/2.ts': ['same'] });
  });

  it('stay with a file that moves, and are read of one that returns without them', async () => {
    await applyAll();
    repository.git('mv', 'a.ts', 'moved.ts');
    repository.commit({ 'gone.ts': 'function gone() {}\n', 'stays.md': 'Keeps the segment.\n' });
    await apply();
    repository.git('rm', '--quiet', 'gone.ts');
    takeAsked();
    repository.commit({ 'new.ts': 'function added() {}\n' });
    await applyAll();
    expect(takeAsked()).toEqual(['new.ts']);
    repository.commit({ 'gone.ts': 'function gone() {}\n' });
    await applyAll();
    expect(takeAsked()).toEqual(['gone.ts']);
    expect(definitions()).toMatchObject({ 'moved.ts': ['first'], 'gone.ts': ['gone'] });
  });

  it('are read of the last push first, a few seconds at a time', async () => {
    await apply();
    repository.commit({ 'new.ts': 'function added() {}\n' });
    await apply();
    const now = performance.now.bind(performance);
    before = () => void vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
    expect(await define()).toMatchObject({ generation: 3, filesWithoutDefinitions: 2 });
    vi.restoreAllMocks();
    before = () => undefined;
    expect(takeAsked()).toEqual(['new.ts']);
    expect(definitions()).toMatchObject({ 'new.ts': ['added'], 'a.ts': ['?'] });
    expect(await define()).toMatchObject({ generation: 4, filesWithoutDefinitions: 0 });
  });

  it('are not written when the call is aborted or the reader fails', async () => {
    await apply();
    const stop = new AbortController();
    before = () => stop.abort(new Error('a push is pending'));
    await expect(define(stop.signal)).rejects.toThrow('a push is pending');
    before = () => {
      throw new Error('the reader failed');
    };
    await expect(define()).rejects.toThrow('the reader failed');
    const short = openWith({ ...definitionReader, read: async () => [] });
    before = () => undefined;
    await expect(short.define(request(), signal)).rejects.toThrow('left out files');
    expect(manifestOf(root).generation).toBe(1);
    expect(indexedFiles(root, 'org')['a.ts']).toContain('first');
  });

  it('are refused without an index', async () => {
    await expect(define()).rejects.toMatchObject({ status: 503, code: 'index_superseded' });
  });
});

describe('a search while definitions are read', () => {
  let indexes: OpenIndexes;
  const ofSymbol = { kind: 'symbol', form: 'literal', text: 'first', caseSensitive: true } as const;
  const { organizationId } = scope;
  const run = (task: Task): TaskResult => runTask({ indexes, arena: textArena() }, task, () => false);
  const find = (query: Query): SearchResult =>
    run({ kind: 'search', organizationId, request: ask(query) }) as SearchResult;
  const rankFirst = (): RankedPassage | undefined => {
    const ranking = {
      terms: ['first'],
      identifiers: ['first'],
      paths: [],
      question: 'Where is first?',
      limit: 9,
      waitMs: 30_000,
    };
    return (run({ kind: 'rank', organizationId, request: ranking }) as RankResult).passages.best[0];
  };

  beforeEach(() => {
    indexes = new OpenIndexes(root);
  });
  afterEach(() => indexes.close());

  it('finds texts, and says that sym: lacks definitions', async () => {
    await apply();
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    before = () => {
      reached.resolve();
      return released.promise;
    };
    const defining = define();
    await reached.promise;
    const { files, incomplete } = find(literal('first'));
    expect([files.map(({ path }) => path), incomplete]).toEqual([['a.ts'], undefined]);
    expect(find(ofSymbol)).toMatchObject({ files: [], incomplete: 'definitions' });
    expect(rankFirst()).toMatchObject({ path: 'a.ts' });
    expect(rankFirst()?.definition).toBeUndefined();
    released.resolve();
    await defining;
    const found = find(ofSymbol);
    expect([found.files.map(({ path }) => path), found.incomplete]).toEqual([['a.ts'], undefined]);
    expect(rankFirst()).toMatchObject({
      path: 'a.ts',
      definition: { name: 'first' },
    });
  });

  it.each(['changed', 'missing'])(
    'is not affected by a %s file of definitions, which is read anew',
    async (damage) => {
      await applyAll();
      repository.commit({ 'new.ts': 'function added() {}\n' });
      await applyAll();
      const file = join(folderOf(root), manifestOf(root).segments[0]!.symbols!.file);
      if (damage === 'missing') rmSync(file);
      else writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]));
      const { files, incomplete } = find(literal('function'));
      expect([files.length, incomplete]).toEqual([3, undefined]);
      expect(find(ofSymbol).files).toEqual([]);
      expect(find({ ...ofSymbol, text: 'added' }).files).toHaveLength(1);
      expect(await index.isDamaged(scope, id)).toBe(true);

      takeAsked();
      expect(await apply()).toMatchObject({ generation: 4, filesWithoutDefinitions: 2 });
      expect(await define()).toMatchObject({ generation: 5, filesWithoutDefinitions: 0 });
      expect(takeAsked()).toEqual(['a.ts', 'b.go']);
      expect(await index.isDamaged(scope, id)).toBe(false);
      expect(find(ofSymbol).files).toHaveLength(1);
      expect(readdirSync(folderOf(root)).filter((name) => name.includes('damaged'))).toEqual([]);
    },
  );

  it('is not needed to find damage: the next start of a worker does', async () => {
    await applyAll();
    const file = join(folderOf(root), manifestOf(root).segments[0]!.symbols!.file);
    writeFileSync(file, 'other');
    index = openWith(definitionReader);
    expect(await index.status(scope, id)).toMatchObject({ generation: 2, filesWithoutDefinitions: 2 });
    expect(await define()).toMatchObject({ filesWithoutDefinitions: 0 });
    expect(definitions()).toMatchObject({ 'a.ts': ['first'] });
  });

  it('marks an index whose text is found damaged, so that the next update rebuilds it', async () => {
    await apply();
    const file = join(folderOf(root), manifestOf(root).segments[0]!.file);
    const bytes = readFileSync(file);
    bytes[4096]! ^= 0xff;
    writeFileSync(file, bytes);
    await expect(define()).rejects.toMatchObject({ status: 503, code: 'index_damaged' });
    expect(await index.isDamaged(scope, id)).toBe(true);
    expect(await applyAll()).toMatchObject({ files: 4, filesWithoutDefinitions: 0 });
  });
});
