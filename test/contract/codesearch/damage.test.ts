import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifest } from '../../../src/backends/codesearch/embedded/format/manifest.ts';
import { decodeHeader } from '../../../src/backends/codesearch/embedded/format/segment-header.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import {
  type CodeIndex,
  type CodeSearch,
  noPassages,
  type SearchResult,
} from '../../../src/backends/codesearch/port.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient } from './query.ts';

const id = 'repo';

describe('an index with one damaged segment', () => {
  let root: string;
  let index: CodeIndex;
  let search: CodeSearch;
  let repository: TestRepository;

  const apply = async (to: string): Promise<void> => {
    const gitDir = join(repository.folder, '.git');
    await index.apply(indexRequest({ scope: ours, repository: id, gitDir, to }), patient);
  };
  /** Changes a byte of a segment: the one at an offset, or the first one of a section. */
  const spoil = (kind: 'base' | 'delta', place: number | string): void => {
    const folder = join(root, ours.organizationId, id);
    const entry = readManifest(folder)?.segments.find((one) => one.kind === kind);
    const file = join(folder, entry?.file ?? '');
    const bytes = readFileSync(file);
    const section = decodeHeader(bytes)!.sections.find(({ name }) => name === place);
    bytes[typeof place === 'number' ? place : section!.offset]! ^= 0xff;
    writeFileSync(file, bytes);
  };
  const find = (text: string): Promise<SearchResult> => search.search(ours, ask(literal(text)), patient);
  const paths = ({ files }: SearchResult): string[] => files.map(({ path }) => path).toSorted();

  beforeEach(async () => {
    root = temporaryFolder();
    index = openTestIndex({ root, log: silentLog });
    repository = createRepository({
      'old.ts': 'needle old\n',
      'changed.ts': 'needle before\n',
      'more.ts': 'x\n',
    });
    await apply(repository.git('rev-parse', 'HEAD'));
    await apply(repository.commit({ 'changed.ts': 'needle after\n', 'new.ts': 'needle new\n' }));
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
  });
  afterEach(() => search.close());

  it.each([
    ['text', 4096],
    ['header', 40],
    ['table', 'trigrams'],
  ])('continues to answer from the other segments and reports missing files: %s', async (_, place) => {
    spoil('delta', place);
    const answer = await find('needle');
    // Documents that the damaged segment replaced do not reappear.
    expect(paths(answer)).toEqual(['old.ts']);
    expect(answer.incomplete).toBe('damaged');
    expect(await index.isDamaged(ours, namedRepository(id).id)).toBe(true);
  });

  it('answers from the delta when the base is damaged', async () => {
    spoil('base', 40);
    const answer = await find('needle');
    expect(paths(answer)).toEqual(['changed.ts', 'new.ts']);
    expect(answer.incomplete).toBe('damaged');
  });

  it('reports the damage to readers that open it later, until it is rebuilt', async () => {
    spoil('delta', 4096);
    await find('needle');
    await search.close();
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
    expect((await find('needle old')).incomplete).toBe('damaged');
    await apply(repository.git('rev-parse', 'HEAD'));
    const answer = await find('needle');
    expect(paths(answer)).toEqual(['changed.ts', 'new.ts', 'old.ts']);
    expect(answer.incomplete).toBeUndefined();
    expect(await index.isDamaged(ours, namedRepository(id).id)).toBe(false);
  });

  it('is rebuilt by the next push', async () => {
    spoil('base', 40);
    await find('needle');
    await apply(repository.commit({ 'later.ts': 'needle later\n' }));
    const answer = await find('needle');
    expect(paths(answer)).toEqual(['changed.ts', 'later.ts', 'new.ts', 'old.ts']);
    expect(answer.incomplete).toBeUndefined();
  });

  it('reports that it is missing when it is deleted while in use, until it is rebuilt', async () => {
    const named = { repositories: [namedRepository(id)] };
    const ofIt = (): Promise<SearchResult> => search.search(ours, ask(literal('needle'), named), patient);
    expect((await ofIt()).incomplete).toBeUndefined();
    rmSync(join(root, ours.organizationId, id), { recursive: true });
    await expect.poll(ofIt).toMatchObject({ files: [], incomplete: 'damaged' });
    const rank = {
      terms: ['needle'],
      identifiers: [],
      paths: [],
      question: '',
      limit: 9,
      waitMs: 30_000,
      ...named,
    };
    expect(await search.rank(ours, rank, patient)).toEqual({
      files: [],
      passages: noPassages,
      unmatched: [],
      incomplete: 'damaged',
    });
    expect(await index.isDamaged(ours, namedRepository(id).id)).toBe(true);
    await apply(repository.git('rev-parse', 'HEAD'));
    expect(await index.isDamaged(ours, namedRepository(id).id)).toBe(false);
    expect(paths(await ofIt())).toEqual(['changed.ts', 'new.ts', 'old.ts']);
    expect((await ofIt()).incomplete).toBeUndefined();
  });

  it('is kept complete at a start when a newer program wrote it, and is replaced by the next push', async () => {
    const folder = join(root, ours.organizationId, id);
    const manifest = readManifest(folder);
    writeFileSync(join(folder, 'manifest'), JSON.stringify({ ...manifest, format: 1000 }));
    const before = readdirSync(folder).toSorted();
    index = openTestIndex({ root, log: silentLog });
    expect(readdirSync(folder).toSorted()).toEqual(before);
    expect(await index.isDamaged(ours, namedRepository(id).id)).toBe(true);
    await apply(repository.commit({ 'later.ts': 'needle later\n' }));
    expect(paths(await find('needle'))).toEqual(['changed.ts', 'later.ts', 'new.ts', 'old.ts']);
    expect(readdirSync(folder).toSorted()).toEqual([expect.stringMatching(/^base-1-\w+\.seg$/), 'manifest']);
  });
});
