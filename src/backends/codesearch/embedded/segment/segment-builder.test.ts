import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { eachBit } from '../format/bits.ts';
import { decodeHeader, headerBytes } from '../format/segment-header.ts';
import { type Codec, codecs, sectionIds, skipCodes } from '../format/segment-sections.ts';
import { asPathTerm, eachTerm } from '../format/terms.ts';
import { foldTable } from '../format/trigram.ts';
import { DamagedSegment, Segment } from '../read/segment.ts';
import { cutUnits } from './cut-units.ts';
import type { IndexedDocument } from './open-segment.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { collectTrigramPostings } from './trigram-postings.ts';

/** Runs the garbage collector, which alone shows what is still referenced. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

const megabyte = 1024 * 1024;

type Texts = readonly Buffer[];

const pathOf = (document: number): string => `src/file${document}.ts`;

function documentOf(text: Buffer, document: number): IndexedDocument {
  const path = pathOf(document);
  return {
    path,
    oid: '0'.repeat(40),
    rank: 0,
    language: 'Text',
    skipped: skipCodes.none,
    branches: [1, 0],
    text,
  };
}

/** Builds a segment of these texts in a separate file. */
async function build(texts: Texts, codec: Codec): Promise<{ file: string; checksum: number }> {
  const folder = temporaryFolder();
  const builder = new SegmentBuilder(folder, 1, 'base', codec);
  for (const [document, text] of texts.entries()) await builder.add(documentOf(text, document));
  const [entry] = await builder.finish();
  return { file: join(folder, entry!.file), checksum: entry!.checksum };
}

async function withSegment(
  texts: Texts,
  codec: Codec,
  look: (segment: Segment) => void | Promise<void>,
): Promise<void> {
  const { file, checksum } = await build(texts, codec);
  const segment = new Segment(file, checksum);
  try {
    await look(segment);
  } finally {
    segment.close();
  }
}

function unitsOf(texts: Texts): Buffer[] {
  return texts.flatMap((text) => cutUnits(text).map(({ start, end }) => text.subarray(start, end)));
}

const lines = Array.from({ length: 9000 }, (_, line) => `const value${line % 700} = call(${line});\n`).join(
  '',
);
const various: Texts = [
  Buffer.from('first\n'),
  Buffer.alloc(0),
  Buffer.from(lines),
  Buffer.from(`${'x'.repeat(100_000)}\nafter a line longer than a block\n`),
  randomBytes(70_000),
  Buffer.from('last, without a newline'),
];

describe.each(codecs)('a segment whose text is %s', (codec) => {
  it('returns every byte, unit by unit and in ranges', async () => {
    await withSegment(various, codec, async (segment) => {
      expect(segment.meta.codec).toBe(codec);
      const units = unitsOf(various);
      const into = Buffer.alloc(64 * 1024);
      // Backwards, so that blocks are read in another order than they were written in.
      for (const [unit, bytes] of [...units.entries()].toReversed()) {
        expect(segment.readUnit(unit).equals(bytes)).toBe(true);
        expect(segment.readUnit(unit, into).equals(bytes)).toBe(true);
      }
      const { firstUnit } = segment.documents;
      various.forEach((text, document) => {
        expect(segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!).equals(text)).toBe(true);
      });
      await segment.verify();
    });
  });

  it('is detected as damaged after any byte of its text changed', async () => {
    const { file, checksum } = await build(various, codec);
    const intact = readFileSync(file);
    const content = sectionOf(file, sectionIds.content);
    for (let at = content.offset; at < content.offset + content.length; at += 3001) {
      const broken = Buffer.from(intact);
      broken[at]! ^= 0x40;
      writeFileSync(file, broken);
      const segment = new Segment(file, checksum);
      await expect(segment.verify()).rejects.toThrow(DamagedSegment);
      segment.close();
    }
  });
});

function sectionOf(file: string, name: string): { offset: number; length: number } {
  const header = decodeHeader(readFileSync(file).subarray(0, headerBytes));
  return header!.sections.find((section) => section.name === name)!;
}

it('compressed text takes a fraction of the space', async () => {
  const sizes = await Promise.all(
    codecs.map(
      async (codec) => sectionOf((await build([Buffer.from(lines)], codec)).file, sectionIds.content).length,
    ),
  );
  expect(sizes[0]).toBe(lines.length);
  expect(sizes[1]).toBeLessThan(lines.length / 3);
});

/** Text of few letters, so that trigrams and words repeat, with newlines, capitals, digits and bytes outside ASCII. */
const text = fc
  .array(fc.constantFrom(...Buffer.from('aabseingdyIDS_1 \n\xc3\xb6', 'latin1'), 0x7f, 0xff), {
    maxLength: 600,
  })
  .map((bytes) => Buffer.from(bytes));
const texts = fc.array(text, { minLength: 1, maxLength: 6 });

describe('the postings of a segment', () => {
  it('are the same units per trigram as in a full scan', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (some) => {
        await withSegment(some, 'raw', (segment) => {
          const units = unitsOf(some);
          const naive = new Map<number, number[]>();
          for (const [unit, bytes] of units.entries()) {
            for (const trigram of trigramsOfLines(bytes)) {
              naive.set(trigram, [...(naive.get(trigram) ?? []), unit]);
            }
          }
          for (const [trigram, expected] of naive) {
            expect([...eachBit(segment.trigrams.units(trigram), 0, units.length)]).toEqual(expected);
          }
          expect(trigramCount(segment)).toBe(naive.size);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('are lists or bitmaps of hundreds of units, whichever is shorter', async () => {
    const some = Array.from({ length: 600 }, (_, document) =>
      Buffer.from(`everywhere${document % 3 === 0 ? ' third' : ''}${document === 599 ? ' rare' : ''}\n`),
    );
    await withSegment(some, 'raw', (segment) => {
      const found = (word: string): number[] => [
        ...eachBit(segment.trigrams.units(trigramsOfLines(Buffer.from(word))[0]!), 0, some.length),
      ];
      const all = some.map((_, unit) => unit);
      expect(found('eve')).toEqual(all);
      expect(found('thi')).toEqual(all.filter((unit) => unit % 3 === 0));
      expect(found('rar')).toEqual([599]);
      expect(found('zzz')).toEqual([]);
    });
  });

  it('have the same term counts per document as a full scan', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (some) => {
        await withSegment(some, 'raw', ({ terms }) => {
          const naive = new Map<number, Map<number, number>>();
          const note = (term: number, document: number, weight: number): void => {
            const counts = naive.get(term) ?? new Map<number, number>();
            naive.set(term, counts.set(document, (counts.get(document) ?? 0) + weight));
          };
          for (const [document, bytes] of some.entries()) {
            let length = 0;
            eachTerm(bytes, 0, bytes.length, (term) => {
              note(term, document, 1);
              length++;
            });
            expect(terms.lengths[document]).toBe(length);
            const path = Buffer.from(pathOf(document));
            eachTerm(path, 0, path.length, (term, start) => {
              note(asPathTerm(term), document, start >= 4 ? 2 : 1);
            });
          }
          for (const [term, expected] of naive) {
            const found = new Map<number, number>();
            terms.each(term, (document, count) => found.set(document, count));
            expect(found).toEqual(expected);
            expect(terms.documentFrequency(term)).toBe(expected.size);
          }
        });
      }),
      { numRuns: 40 },
    );
  });

  it('exclude distinct terms of a document beyond 8192', async () => {
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, word) => letters(word)).join(' '));
    await withSegment([bytes, bytes], 'raw', ({ terms }) => {
      const kept = [0, 0];
      eachTerm(bytes, 0, bytes.length, (term) => {
        terms.each(term, (document, count) => {
          kept[document]! += count;
        });
      });
      expect([...terms.lengths]).toEqual([10_000, 10_000]);
      expect(kept).toEqual([8192, 8192]);
      // No word has the hash 0; rows that were never filled would have it.
      expect(terms.documentFrequency(0)).toBe(0);
    });
  });
});

/** Returns a distinct word for each number, of letters that no ending contains. */
function letters(number: number): string {
  return number
    .toString(8)
    .padStart(5, '0')
    .split('')
    .map((digit) => 'abcfhjkm'[Number(digit)])
    .join('');
}

/** Returns the distinct trigrams of each line with a simple algorithm. */
function trigramsOfLines(bytes: Buffer): number[] {
  const found = new Set<number>();
  for (let at = 2; at < bytes.length; at++) {
    const three = bytes.subarray(at - 2, at + 1);
    if (three.includes(0x0a)) continue;
    found.add((foldTable[three[0]!]! << 14) | (foldTable[three[1]!]! << 7) | foldTable[three[2]!]!);
  }
  return [...found];
}

function trigramCount(segment: Segment): number {
  let count = 0;
  for (let trigram = 0; trigram < 1 << 21; trigram++) if (segment.trigrams.weight(trigram) > 0) count++;
  return count;
}

it('a segment does not affect the next one of its builder', async () => {
  const folder = temporaryFolder();
  const builder = new SegmentBuilder(folder, 1, 'base');
  const alone = new SegmentBuilder(folder, 2, 'base');
  const second = documentOf(Buffer.from('const second = 2;\n'), 1);
  await builder.add(documentOf(Buffer.from('const first = 1;\n'), 0));
  await builder.finish();
  await builder.add(second);
  await alone.add(second);
  const [entry] = (await builder.finish()).slice(-1);
  const [expected] = await alone.finish();
  expect(entry!.checksum).toBe(expected!.checksum);
});

describe('a segment ends', () => {
  /** Adds documents until a second segment begins; `last` contains the last text of each. */
  async function twoSegments(documentAt: (number: number) => IndexedDocument): Promise<{
    segments: readonly Segment[];
    last: readonly Buffer[];
  }> {
    const folder = temporaryFolder();
    const builder = new SegmentBuilder(folder, 1, 'base');
    const last: Buffer[] = [];
    for (let document = 0; last.length < 2 && document < 200; document++) {
      const added = documentAt(document);
      await builder.add(added);
      last[readdirSync(folder).length - 1] = added.text;
    }
    const entries = await builder.finish();
    return { segments: entries.map(({ file, checksum }) => new Segment(join(folder, file), checksum)), last };
  }

  it('before its maximum text size if there is no room for more postings', async () => {
    const { segments, last } = await twoSegments((document) => documentOf(randomBytes(megabyte), document));
    for (const [index, segment] of segments.entries()) {
      const { count, offsets } = segment.units;
      expect(offsets[count]).toBeLessThan(31 * megabyte);
      const unit = segment.readUnit(count - 1);
      expect(last[index]!.subarray(-unit.length).equals(unit)).toBe(true);
      for (const trigram of trigramsOfLines(unit).slice(-1000)) {
        expect([...eachBit(segment.trigrams.units(trigram), 0, count)]).toContain(count - 1);
      }
      segment.close();
    }
    expect(segments).toHaveLength(2);
  });

  it('at its maximum size of paths, even with little text', async () => {
    const longPath = 'folder/'.repeat(50_000);
    const { segments } = await twoSegments((document) => ({
      ...documentOf(Buffer.from('text\n'), document),
      path: `${longPath}${document}`,
      skipped: skipCodes.binary,
    }));
    for (const { tableBytes } of segments) expect(tableBytes).toBeLessThan(33 * megabyte);
    for (const segment of segments) segment.close();
  });
});

it('other work runs between the groups of the trigrams', async () => {
  const trigrams = collectTrigramPostings();
  trigrams.addUnit(Buffer.from('abcdefghijklmnopqrstuvwxyz0123456789'), true);
  let ticks = 0;
  let pieces = 0;
  const next = (): void => {
    ticks++;
    if (pieces < 34) setImmediate(next);
  };
  setImmediate(next);
  await trigrams.encode(() => pieces++);
  expect(pieces).toBe(34);
  expect(ticks).toBeGreaterThan(30);
});

it.each(['Text', 'TypeScript'])(
  'keeps no reference to the text of an added document in %s',
  async (language) => {
    const builder = new SegmentBuilder(temporaryFolder(), 1, 'base');
    const given: WeakRef<ArrayBuffer>[] = [];
    const add = async (document: number): Promise<void> => {
      const bytes = Buffer.alloc(100_000, 'text that is gone\n');
      given.push(new WeakRef(bytes.buffer));
      await builder.add({ ...documentOf(bytes, document), language });
    };
    for (let document = 0; document < 3; document++) await add(document);
    const held = (): number => {
      collectGarbage();
      return given.filter((memory) => memory.deref() !== undefined).length;
    };
    // A collection can run while code that is being compiled still references the memory.
    await expect.poll(held).toBe(0);
    await builder.finish();
  },
);
