import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../../../test/support/git-repository.ts';
import { indexRequest } from '../../../../../test/support/index-request.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { eachBit } from '../format/bits.ts';
import { readManifest } from '../format/manifest.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { decodeHeader } from '../format/segment-header.ts';
import { SECTIONS } from '../format/segment-sections.ts';
import { wordsOf } from '../format/terms.ts';
import { trigramsOf } from '../format/trigram.ts';
import { openCodeIndex } from '../open-embedded-code-search.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { DamagedSegment, type Segment } from '../read/segment.ts';
import { sharedTables, type TableNews, type TableOffers } from '../read/shared-tables.ts';
import { type TableExchange, tableExchange } from './table-exchange.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const text = 'export function needle() {}\n';
let repository: TestRepository;
let root: string;
let exchange: TableExchange<string>;

beforeEach(async () => {
  root = temporaryFolder();
  repository = createRepository({ 'a.ts': text });
  exchange = tableExchange();
  await apply();
});

async function apply(): Promise<void> {
  const [gitDir, to] = [`${repository.folder}/.git`, repository.git('rev-parse', 'HEAD')];
  const index = openCodeIndex({ root, log: silentLog });
  await index.apply(indexRequest({ scope, repository: 'repo', gitDir, to }), signal);
}

interface Thread {
  /** Opens all there is and asks each table for something. */
  ask(): readonly Segment[];
  /** Tells what it has loaded, as a thread does before every answer. */
  tell(): TableNews | undefined;
  readonly indexes: OpenIndexes;
}

function start(name: string): Thread {
  const tables = sharedTables();
  const indexes = new OpenIndexes(root, tables);
  exchange.joined(name, (offers) => tables.take(offers));
  return {
    indexes,
    ask: () => {
      const { segments } = indexes.inRange({ organizationId: 'org' });
      return segments.map(({ segment }) => {
        expect(segment.readUnit(0).toString()).toContain('function');
        expect(segment.documents.path(0)).toBe('a.ts');
        const [trigram] = trigramsOf(Buffer.from('nee'));
        expect([...eachBit(segment.trigrams.units(trigram!), 0, 1)]).toEqual([0]);
        const documents: number[] = [];
        segment.terms.each([...wordsOf('needle').keys()][0]!, (document) => documents.push(document));
        expect(documents).toEqual([0]);
        expect(segment.symbols?.at(0)).toEqual({ name: 'needle', kind: 'function', line: 1 });
        return segment;
      });
    },
    tell: () => {
      const news = tables.news();
      if (news !== undefined) exchange.heard(name, news);
      return news;
    },
  };
}

/** Where the tables of a segment lie that are read through. */
function placesOf({ units, documents, terms, symbols }: Segment): readonly ArrayBufferLike[] {
  const arrays = [units.offsets, documents.sizes, terms.lengths, symbols!.names];
  return arrays.map(({ buffer }) => buffer);
}

/** What a thread that starts now is offered. */
function offered(): TableOffers['loaded'] {
  const heard: TableOffers[] = [];
  exchange.joined('new', (offers) => heard.push(offers));
  exchange.left('new');
  return heard.flatMap(({ loaded }) => loaded);
}

function fileOfSegment(): string {
  const folder = repositoryFolder(root, 'org', 'repo');
  return join(folder, readManifest(folder)!.segments[0]!.file);
}

function damage(section: string, at: number): void {
  const file = fileOfSegment();
  const bytes = readFileSync(file);
  bytes[decodeHeader(bytes)!.sections.find(({ name }) => name === section)!.offset + at]! ^= 1;
  writeFileSync(file, bytes);
}

describe('a table that one thread has loaded', () => {
  it('is read by the others, who load none', () => {
    const [first, second] = [start('first'), start('second')];
    const [one] = first.ask();
    expect(first.tell()?.loaded.length).toBeGreaterThan(0);
    const [other] = second.ask();
    expect(second.tell()?.loaded).toEqual([]);
    expect(placesOf(other!)).toEqual(placesOf(one!));
    placesOf(other!).forEach((place, index) => expect(place).toBe(placesOf(one!)[index]));
  });

  it('is told once', () => {
    const first = start('first');
    first.ask();
    first.tell();
    first.ask();
    expect(first.tell()).toBeUndefined();
  });

  it('gives way to that of another, when two loaded it at once', () => {
    const [first, second] = [start('first'), start('second')];
    const [[one], [other]] = [first.ask(), second.ask()];
    const own = placesOf(other!);
    first.tell();
    second.tell();
    placesOf(other!).forEach((place, index) => {
      expect(place).not.toBe(own[index]);
      expect(place).toBe(placesOf(one!)[index]);
    });
    expect(second.ask()).toEqual([other]);
  });

  it('stays when that thread ends, and whoever takes its place reads it', () => {
    const [first, second] = [start('first'), start('second')];
    first.ask();
    first.tell();
    second.ask();
    second.tell();
    exchange.left('first');
    second.ask();
    const third = start('third');
    third.ask();
    expect(third.tell()?.loaded).toEqual([]);
  });

  it('is forgotten with the last thread that had it open', () => {
    const first = start('first');
    first.ask();
    first.tell();
    expect(offered().length).toBeGreaterThan(0);
    exchange.left('first');
    expect(offered()).toEqual([]);
  });

  it('is not taken from a thread that has ended meanwhile', () => {
    const first = start('first');
    first.ask();
    exchange.left('first');
    first.tell();
    expect(offered()).toEqual([]);
  });
});

it('forgets generations as soon as no thread has them open, however many there were', async () => {
  const [often, seldom] = [start('often'), start('seldom')];
  for (let generation = 1; generation <= 24; generation++) {
    repository.commit({ 'a.ts': text + 'x'.repeat(generation) });
    await apply();
    for (const thread of generation % 8 === 0 ? [often, seldom] : [often]) {
      thread.ask();
      thread.tell();
    }
    const segments = new Set(offered().map(({ segment }) => segment));
    const live = often.ask().length;
    expect(segments.size).toBeLessThanOrEqual(generation % 8 === 0 ? live : 2 * live + 8);
  }
});

describe('damage', () => {
  it.each([SECTIONS.trigrams, SECTIONS.postings, SECTIONS.terms, SECTIONS.termPostings, SECTIONS.symbols])(
    'of %s is found by each thread, and offered to nobody',
    (section) => {
      damage(section, 9);
      for (const thread of [start('first'), start('second')]) {
        expect(() => thread.ask()).toThrow(DamagedSegment);
        thread.tell();
        expect(offered().map(({ name }) => name)).not.toContain(section);
      }
    },
  );

  it.each([SECTIONS.postings, SECTIONS.termPostings])(
    'of %s is found by a thread that opens them after another found them in order',
    (section) => {
      const [first, second] = [start('first'), start('second')];
      first.ask();
      first.tell();
      damage(section, 0);
      expect(() => second.ask()).toThrow(DamagedSegment);
    },
  );

  it('that one thread finds leaves the others what they have open', () => {
    const [first, second] = [start('first'), start('second')];
    for (const thread of [first, second]) {
      thread.ask();
      thread.tell();
    }
    first.indexes.condemn(new DamagedSegment(fileOfSegment(), 'damaged'));
    first.tell();
    expect(first.indexes.inRange({ organizationId: 'org' })).toEqual({ segments: [], damaged: true });
    expect(second.ask()).toHaveLength(1);
    exchange.left('second');
    expect(offered()).toEqual([]);
  });
});
