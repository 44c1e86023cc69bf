import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyAndDefine, indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { eachBit } from '../format/bits.ts';
import { readManifest } from '../format/manifest.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { decodeHeader } from '../format/segment-header.ts';
import { sectionIds } from '../format/segment-sections.ts';
import { wordsOf } from '../format/terms.ts';
import { trigramsOf } from '../format/trigram.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment } from '../read/segment.ts';
import { sharedTables, type TableChanges, type TableOffers } from '../read/shared-tables.ts';
import { type TableExchange, tableExchange } from './table-exchange.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const text = 'export function needle() {}\n';
let repository: TestRepository;
let indexed: string;
let root: string;
let exchange: TableExchange<string>;

beforeAll(async () => {
  root = indexed = temporaryFolder();
  repository = createRepository({ 'a.ts': text });
  await apply();
});

beforeEach(() => {
  root = temporaryFolder();
  cpSync(indexed, root, { recursive: true });
  exchange = tableExchange();
});

async function apply(): Promise<void> {
  const [gitDir, to] = [`${repository.folder}/.git`, repository.git('rev-parse', 'HEAD')];
  const index = openTestIndex({ root, log: silentLog });
  await applyAndDefine(index, indexRequest({ scope, repository: 'repo', gitDir, to }));
}

interface Thread {
  /** Opens all segments and reads from each table. */
  readAll(): readonly LiveSegment[];
  /** Reports the loaded tables, as a thread does before every answer. */
  report(): TableChanges | undefined;
  readonly indexes: OpenIndexes;
}

function start(name: string): Thread {
  const tables = sharedTables();
  const indexes = new OpenIndexes(root, tables);
  exchange.joined(name, (offers) => tables.take(offers));
  return {
    indexes,
    readAll: () => {
      const { segments } = indexes.inRange({ organizationId: 'org' });
      return segments.map((live) => {
        const { segment, symbols } = live;
        expect(segment.readUnit(0).toString()).toContain('function');
        expect(segment.documents.path(0)).toBe('a.ts');
        const [trigram] = trigramsOf(Buffer.from('nee'));
        expect([...eachBit(segment.trigrams.units(trigram!), 0, 1)]).toEqual([0]);
        const documents: number[] = [];
        segment.terms.each([...wordsOf('needle').keys()][0]!, (document) => documents.push(document));
        expect(documents).toEqual([0]);
        expect(symbols.table.at(0, 0)).toEqual({ name: 'needle', kind: 'function', line: 1 });
        return live;
      });
    },
    report: () => {
      const changes = tables.takeChanges();
      if (changes !== undefined) exchange.received(name, changes);
      return changes;
    },
  };
}

/** Returns the memory of some tables of a segment. */
function placesOf({
  segment: { units, documents, terms },
  symbols,
}: LiveSegment): readonly ArrayBufferLike[] {
  const arrays = [units.offsets, documents.sizes, terms.lengths, symbols.table.names];
  return arrays.map(({ buffer }) => buffer);
}

/** Returns the tables that a new thread is offered. */
function offered(): TableOffers['loaded'] {
  const offers: TableOffers[] = [];
  exchange.joined('new', (offer) => offers.push(offer));
  exchange.left('new');
  return offers.flatMap(({ loaded }) => loaded);
}

function fileOfSegment(): string {
  const folder = repositoryFolder(root, 'org', 'repo');
  return join(folder, readManifest(folder)!.segments[0]!.file);
}

function damage(section: string, at: number): void {
  const file = fileOfSegment();
  const { sections } = decodeHeader(readFileSync(file))!;
  flip(file, sections.find(({ name }) => name === section)!.offset + at);
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
}

describe('a table that one thread has loaded', () => {
  it('is shared with the others, which load none', () => {
    const [first, second] = [start('first'), start('second')];
    const [one] = first.readAll();
    expect(first.report()?.loaded.length).toBeGreaterThan(0);
    const [other] = second.readAll();
    expect(second.report()?.loaded).toEqual([]);
    expect(placesOf(other!)).toEqual(placesOf(one!));
    placesOf(other!).forEach((place, index) => expect(place).toBe(placesOf(one!)[index]));
  });

  it('is reported once', () => {
    const first = start('first');
    first.readAll();
    first.report();
    first.readAll();
    expect(first.report()).toBeUndefined();
  });

  it('is replaced by that of another thread when two loaded it at once', () => {
    const [first, second] = [start('first'), start('second')];
    const [[one], [other]] = [first.readAll(), second.readAll()];
    const own = placesOf(other!);
    first.report();
    second.report();
    placesOf(other!).forEach((place, index) => {
      expect(place).not.toBe(own[index]);
      expect(place).toBe(placesOf(one!)[index]);
    });
    expect(second.readAll().map(({ segment }) => segment)).toEqual([other!.segment]);
  });

  it('stays when that thread ends, and a new thread uses it', () => {
    const [first, second] = [start('first'), start('second')];
    first.readAll();
    first.report();
    second.readAll();
    second.report();
    exchange.left('first');
    second.readAll();
    const third = start('third');
    third.readAll();
    expect(third.report()?.loaded).toEqual([]);
  });

  it('is dropped with the last thread that had it open', () => {
    const first = start('first');
    first.readAll();
    first.report();
    expect(offered().length).toBeGreaterThan(0);
    exchange.left('first');
    expect(offered()).toEqual([]);
  });

  it('is not accepted from a thread that has ended', () => {
    const first = start('first');
    first.readAll();
    exchange.left('first');
    first.report();
    expect(offered()).toEqual([]);
  });
});

it('drops generations as soon as no thread has them open', async () => {
  const [often, seldom] = [start('often'), start('seldom')];
  for (let generation = 1; generation <= 16; generation++) {
    repository.commit({ 'a.ts': text + 'x'.repeat(generation) });
    await apply();
    for (const thread of generation % 8 === 0 ? [often, seldom] : [often]) {
      thread.readAll();
      thread.report();
    }
    const files = new Set(offered().map(({ segment }) => segment));
    // Each segment has a file of definitions.
    const live = 2 * often.readAll().length;
    expect(files.size).toBeLessThanOrEqual(generation % 8 === 0 ? live : 2 * live + 16);
  }
});

describe('damage', () => {
  it.each([sectionIds.trigrams, sectionIds.postings, sectionIds.terms, sectionIds.termPostings])(
    'of %s is detected by each thread, and the table is not offered',
    (section) => {
      damage(section, 9);
      for (const thread of [start('first'), start('second')]) {
        expect(() => thread.readAll()).toThrow(DamagedSegment);
        thread.report();
        expect(offered().map(({ name }) => name)).not.toContain(section);
      }
    },
  );

  it('of definitions affects only them in each thread, and the table is not offered', () => {
    const [{ file, checksum, documents } = { file: '', checksum: 0, documents: 0 }] = readManifest(
      repositoryFolder(root, 'org', 'repo'),
    )!.segments.flatMap(({ symbols }) => symbols ?? []);
    expect([checksum > 0, documents]).toEqual([true, 1]);
    flip(join(repositoryFolder(root, 'org', 'repo'), file), 9);
    for (const thread of [start('first'), start('second')]) {
      const { segments, damaged } = thread.indexes.inRange({ organizationId: 'org' });
      expect([damaged, segments[0]!.symbols.table.names.length]).toEqual([false, 0]);
      expect(segments[0]!.segment.readUnit(0).toString()).toBe(text);
      thread.report();
      expect(offered().map(({ name }) => name)).not.toContain('symbols');
    }
  });

  it.each([sectionIds.postings, sectionIds.termPostings])(
    'of %s is detected by a thread that opens it after another one found it intact',
    (section) => {
      const [first, second] = [start('first'), start('second')];
      first.readAll();
      first.report();
      damage(section, 0);
      expect(() => second.readAll()).toThrow(DamagedSegment);
    },
  );

  it('detected by one thread does not affect what the others have open', () => {
    const [first, second] = [start('first'), start('second')];
    for (const thread of [first, second]) {
      thread.readAll();
      thread.report();
    }
    first.indexes.removeDamaged(new DamagedSegment(fileOfSegment(), 'damaged'));
    first.report();
    expect(first.indexes.inRange({ organizationId: 'org' })).toEqual({ segments: [], damaged: true });
    expect(second.readAll()).toHaveLength(1);
    exchange.left('second');
    expect(offered()).toEqual([]);
  });
});
