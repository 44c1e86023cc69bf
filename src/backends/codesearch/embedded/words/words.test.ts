import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  folderOf,
  id,
  manifestOf,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { Pause } from '../../../../foundation/kernel/limits/pauses.ts';
import { type CodeSearch, listedFiles, maxListed, type SearchResult } from '../../port.ts';
import { words as wordsIn } from '../../whole-word.ts';
import { unitFlags } from '../format/segment-sections.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';
import { decodeText } from '../query/text/decode-text.ts';
import { WordCollector } from './collect-words.ts';
import { WordNumbers } from './word-numbers.ts';
import { eachLineOfWord, encodeWords, wordsFile } from './words-file.ts';

const { signal } = new AbortController();
const opened = new Map<string, CodeSearch>();
afterEach(async () => {
  for (const search of opened.values()) await search.close();
  opened.clear();
});

/** Returns the lines of a word, by path, and the number of files whose text was read for them. */
async function linesOf(
  root: string,
  text: string,
): Promise<
  Pick<SearchResult, 'incomplete'> & {
    readonly lines: Readonly<Record<string, readonly number[]>>;
    readonly scanned: number;
  }
> {
  const search = opened.get(root) ?? openCodeSearch({ root, log: silentLog, threads: 1 });
  opened.set(root, search);
  const request = { matchesPerFile: 0, contextLines: 0, deadlineMs: 30_000, everyLine: true } as const;
  const { listed, stats, ...more } = await search.search(
    scope,
    { query: { kind: 'word', text }, limit: maxListed.files, ...request },
    signal,
  );
  const lines = Object.fromEntries(
    (listed?.repositories ?? []).flatMap((each) =>
      Array.from(listedFiles(each), ([path, all]) => [path, [...all]]),
    ),
  );
  return { lines, scanned: stats.scanned, ...(more.incomplete && { incomplete: more.incomplete }) };
}

const frequent = 'const frequent = i; // s\n';
const files = {
  'src/a.ts': `${frequent.repeat(300)}last()`,
  'src/b.ts': 'let i = 0;\r\nmini; _i; i2; (i)\n\ns.i = “i” + éi\n',
  'src/empty.ts': '',
  'src/rare.ts': 'first\nrarely frequently last\n',
  'src/other.ts': 'frequent\nfrequent_\nfrequenté\n“frequent”\n',
};
const linesIn = {
  i: { 'src/a.ts': range(300), 'src/b.ts': [1, 2, 4] },
  s: { 'src/a.ts': range(300), 'src/b.ts': [4] },
  frequent: { 'src/a.ts': range(300), 'src/other.ts': [1, 4] },
  zz: {},
};

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

describe('the lines of frequent and of short words', () => {
  it('are the same with their table, for which no text is read', async () => {
    const { root, index, repository } = openIndexedRepository(files);
    const to = repository.git('rev-parse', 'HEAD');
    await index.apply(requestOf(repository, to), signal);
    for (const [word, lines] of Object.entries(linesIn))
      expect(await linesOf(root, word)).toMatchObject({ lines });
    expect((await linesOf(root, 'i')).scanned).toBeGreaterThan(0);
    expect((await index.compact(requestOf(repository, to), signal)).needsCompaction).toBe(false);
    for (const [word, lines] of Object.entries(linesIn))
      expect(await linesOf(root, word)).toEqual({ lines, scanned: 0 });
    const rare = await linesOf(root, 'last');
    expect(rare).toEqual({ lines: { 'src/a.ts': [301], 'src/rare.ts': [2] }, scanned: 2 });
  });

  it('are those of the current files after a push, before and after the next compaction', async () => {
    const { root, index, repository } = openIndexedRepository(files);
    const first = repository.git('rev-parse', 'HEAD');
    await index.apply(requestOf(repository, first), signal);
    await index.compact(requestOf(repository, first), signal);
    const to = repository.commit({ 'src/b.ts': '\ni\n', 'src/new.ts': 'i' });
    expect((await index.apply(requestOf(repository, to), signal)).needsCompaction).toBe(true);
    const lines = { 'src/a.ts': range(300), 'src/b.ts': [2], 'src/new.ts': [1] };
    expect(await linesOf(root, 'i')).toMatchObject({ lines });
    await index.compact(requestOf(repository, to), signal);
    expect(await linesOf(root, 'i')).toEqual({ lines, scanned: 0 });
    const segments = manifestOf(root).segments.map(({ file }) => wordsFile(file));
    const tables = readdirSync(folderOf(root)).filter((name) => name.endsWith('.words'));
    expect(tables.toSorted()).toEqual(segments.toSorted());
  });

  it('are complete with a table that is damaged, which the next compaction writes again', async () => {
    const { root, index, repository } = openIndexedRepository(files);
    const to = repository.git('rev-parse', 'HEAD');
    await index.apply(requestOf(repository, to), signal);
    await index.compact(requestOf(repository, to), signal);
    const table = join(folderOf(root), wordsFile(manifestOf(root).segments[0]?.file ?? ''));
    const intact = readFileSync(table);
    for (const damaged of [Buffer.alloc(0), intact.subarray(0, 40), Buffer.alloc(intact.length)]) {
      writeFileSync(table, damaged);
      expect(await linesOf(root, 'i')).toMatchObject({ lines: linesIn.i });
      expect(existsSync(table)).toBe(false);
    }
    expect(await index.status(scope, id)).toMatchObject({ needsCompaction: true });
    await index.compact(requestOf(repository, to), signal);
    expect(readFileSync(table)).toEqual(intact);
  });
});

/** Writes the table of documents of one unit each, and returns the name of their segment. */
async function writeTable(
  texts: readonly Buffer[],
  flags: number,
  pause: Pause = () => undefined,
): Promise<string> {
  const words = new WordCollector();
  for (const reading of ['count', 'write']) {
    for (const text of texts) {
      words.beginDocument();
      await words.addUnit(text, flags, pause);
    }
    if (reading === 'count') words.choose();
  }
  const segment = join(temporaryFolder(), 'segment');
  writeFileSync(wordsFile(segment), Buffer.concat(await encodeWords(words.table(), () => undefined)));
  return segment;
}

/** Returns the documents and lines of a word, and the documents whose text is left to search. */
function readTable(file: string, word: string): (readonly number[])[] | undefined {
  const found: number[][] = [];
  const others = eachLineOfWord(file, word, (document, lines, from, to) => {
    for (const line of lines.subarray(from, to)) found.push([document, line]);
  });
  return others && [...found, ...others.map((document) => [document])];
}

describe('a table of words', () => {
  it('has the lines of every short word of any text, and the documents of rare ones', async () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '_',
      '9',
      ' ',
      '\n',
      '\r\n',
      'é',
      '²',
      '“',
      '\u{10400}',
      'ab',
      'abab',
      '.',
    );
    const text = fc.array(
      fc.oneof(
        piece.map((part) => Buffer.from(part)),
        fc.constant(Buffer.of(0xff)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text.map(Buffer.concat), { minLength: 1, maxLength: 5 }), async (texts) => {
        const file = await writeTable(texts, 0);
        for (const word of ['a', 'b', '_', 'ab', 'a9', 'a_b', 'aba', 'abab', 'ab_ab']) {
          const expected = texts.flatMap((bytes, document) =>
            decodeText(bytes, 0)
              .split('\n')
              .flatMap((line, at) =>
                [...line.matchAll(wordsIn)].some(([found]) => found === word) ? [[document, at + 1]] : [],
              ),
          );
          const found = readTable(file, word);
          const documents = [...new Set(expected.map(([document]) => document))].map((each) => [each]);
          if (word.length > 3 && expected.length < 4) expect(found).toEqual(documents);
          else expect(found).toEqual(expected);
        }
      }),
    );
  });

  it('is written in turns with other work, also of a file that is one line', async () => {
    const pieces = ['i', ' ', 'éi', '“', 'ab_', '.', 'x9', '²', 'i é', ' ab '];
    const line = Array.from({ length: 60_000 }, (_, at) => pieces[(at * at + (at >> 3)) % 10]!).join('');
    const text = Buffer.from(`i\n${line}\nab_\n${'x9'.repeat(30_000)} ${line}i`);
    let pauses = 0;
    const count = (): undefined => void pauses++;
    const file = await writeTable([text], unitFlags.validUtf8, count);
    expect(pauses).toBeGreaterThan((2 * text.length) / 50_000);
    for (const word of ['i', 'ab', 'ab_', 'x9', 'x9i', 'iab', 'i9'])
      expect(readTable(file, word)).toEqual(
        text
          .toString()
          .split('\n')
          .flatMap((own, at) => (own.match(wordsIn)?.includes(word) === true ? [[0, at + 1]] : [])),
      );
  });

  it('says nothing of names that it does not have, or when any byte of them is wrong', async () => {
    const file = await writeTable([Buffer.from('i rare i\ni'), Buffer.from('x\nif')], unitFlags.ascii);
    const intact = readFileSync(wordsFile(file));
    expect(['i', 'if', 'no', 'rare', 'é', '$i', ''].map((word) => readTable(file, word))).toEqual([
      [
        [0, 1],
        [0, 2],
      ],
      [[1, 2]],
      [],
      [[0]],
      undefined,
      undefined,
      undefined,
    ]);
    for (let at = 0; at < intact.length; at++) {
      const damaged = Buffer.from(intact);
      damaged[at]! ^= 0xff;
      writeFileSync(wordsFile(file), damaged);
      expect([undefined, '[[0,1],[0,2]]']).toContain(JSON.stringify(readTable(file, 'i')));
      writeFileSync(wordsFile(file), damaged);
      expect([undefined, '[]']).toContain(JSON.stringify(readTable(file, 'no')));
      writeFileSync(wordsFile(file), damaged);
      expect([undefined, '[[0]]']).toContain(JSON.stringify(readTable(file, 'rare')));
    }
  });

  it('stays if a process has too many open files to read it', async () => {
    const file = await writeTable([Buffer.from('i')], unitFlags.ascii);
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { eachLineOfWord } from '${new URL('words-file.ts', import.meta.url).href}';
      const found = [];
      const read = () => found.push(eachLineOfWord('${file}', 'i', () => undefined) !== undefined);
      const taken = [];
      try {
        for (;;) taken.push(openSync('/dev/null'));
      } catch {}
      read();
      for (const each of taken) closeSync(each);
      read();
      console.log(found.join());`;
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node]);
    expect(String(stdout)).toBe('false,true\n');
  });
});

describe('the numbers of words', () => {
  const numberIn = (numbers: WordNumbers, word: string, hash: number): number => {
    const bytes = Buffer.from(word);
    return numbers.of(bytes, 0, bytes.length, hash);
  };

  it('are few for words that collide, but those of short ones are complete', () => {
    const numbers = new WordNumbers();
    const numberOf = (word: string): number => numberIn(numbers, word, 7);
    const long = Array.from({ length: 1_000 }, (_, at) => numberOf(`word${at}`));
    numbers.keep(2);
    expect(numbers.rare).toBeUndefined();
    const short = Array.from({ length: 100 }, (_, at) => numberOf(`${at}`));
    expect(long.slice(200).every((number) => number === -1)).toBe(true);
    expect(new Set(short).size).toBe(100);
    expect(short.every((number) => number >= 0)).toBe(true);
    expect(Array.from({ length: 1_000 }, (_, at) => numberOf(`word${at}`))).toEqual(long);
  });

  it('are not searched far from the slot of a word, when others were chosen to fill the slots after it', () => {
    const numbers = new WordNumbers();
    // For the hash of a slot and its high bits, see `slotOf`.
    const hashOf = (slot: number): number => slot ^ (slot >>> 15);
    const costOf = (count: number, prefix: string, slotAt: (at: number) => number): number => {
      const before = process.cpuUsage().user;
      for (let at = 0; at < count; at++) numberIn(numbers, `${prefix}${at}`, hashOf(slotAt(at)));
      return process.cpuUsage().user - before;
    };
    const filling = costOf(100_000, 'word', (at) => at);
    expect(costOf(5_000, 'further', () => 0)).toBeLessThan(filling);
    expect([numberIn(numbers, 'last', 0), numberIn(numbers, 'a', 0)]).toEqual([-1, numbers.count - 1]);
  });

  it('are bounded, and a word without one never gets one', () => {
    const numbers = new WordNumbers();
    const numberOf = (at: number): number => numberIn(numbers, `word${at}`, Math.imul(at, 0x9e3779b1));
    const found = Array.from({ length: 600_000 }, (_, at) => numberOf(at));
    expect(found.findIndex((number, at) => number !== at)).toBe(1 << 19);
    expect(new Set(found.slice(1 << 19))).toEqual(new Set([-1]));
    expect([numberIn(numbers, 'a', 0), numberOf(0), numberOf(599_999)]).toEqual([1 << 19, 0, -1]);
  });

  it('are of a bounded number of bytes', () => {
    const numbers = new WordNumbers();
    const words = Array.from({ length: 140_000 }, (_, at) => `${at}`.padStart(64, 'w'));
    const found = words.map((word, at) => numberIn(numbers, word, Math.imul(at, 0x9e3779b1)));
    expect(found.indexOf(-1)).toBe((8 << 20) / 64);
  });
});
