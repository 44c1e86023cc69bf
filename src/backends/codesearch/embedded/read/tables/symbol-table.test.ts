import { expect, it } from 'vitest';
import { findDefinitions } from '../../../../../../test/support/languages/find-definitions.ts';
import { emptyBits } from '../../format/bits.ts';
import { encodeSymbolStreams } from '../../format/symbols-file.ts';
import { collectSymbols } from '../../segment/symbol-rows.ts';
import { emptySymbols, type SymbolTable, symbolTable, unpackSymbols } from './symbol-table.ts';

/** Returns the symbols file of texts in Go; an empty one was not read. */
async function fileOf(texts: readonly string[]): Promise<ArrayBuffer> {
  const rows = collectSymbols();
  for (const [document, text] of texts.entries())
    if (text !== '') rows.addDocument(document, await findDefinitions('Go', text));
  return bytesOf(rows.encode(texts.length)!.bytes);
}

function read(file: ArrayBuffer, documents: number): SymbolTable {
  return symbolTable(unpackSymbols(file, documents, (bytes) => new ArrayBuffer(bytes)));
}

function bytesOf(file: Buffer): ArrayBuffer {
  return new Uint8Array(file).buffer;
}

const texts = ['func a() {}\n\n\nfunc b() {}\n', '', 'text', 'type Größe struct {\n\tKey string\n}\n', ''];
const file = await fileOf(texts);

function allOf(table: SymbolTable): string[] {
  const found: string[] = [];
  for (let start = 0; start < table.names.length; ) {
    const { document, end } = table.documentAt(start);
    for (const [number, { name, kind, line }] of table.of(document).entries()) {
      expect(table.at(document, number)).toEqual({ name, kind, line });
      found.push(`${document}:${line} ${kind} ${name}`);
    }
    start = end;
  }
  return found;
}

it('returns the document, line and kind of each name', () => {
  const table = read(file, texts.length);
  expect(allOf(table)).toEqual(['0:1 function a', '0:4 function b', '3:1 struct Größe', '3:2 field Key']);
  expect(table.namesAreAscii).toBe(false);
});

it('returns the documents that define a name, with its lines', async () => {
  const twice = 'func Größe() {}\nfunc a() {}\nfunc ab() {}\nfunc a() {}\n';
  const again = ['func a() {}\nfunc ab() {}\n', 'func b() {}\n', '', twice];
  const naming = (table: SymbolTable, name: string): readonly string[] => {
    const found: string[] = [];
    table.eachNaming(name, (document, symbols) => {
      expect(table.named(document, name)).toEqual(symbols);
      found.push(`${document}:${symbols.map(({ line }) => line).join(',')}`);
    });
    return found;
  };
  const table = read(await fileOf(again), again.length);
  const found = ['a', 'ab', 'b', 'Größe', 'A', 'c', ''].map((name) => naming(table, name));
  expect(found).toEqual([['0:1', '3:2,4'], ['0:2', '3:3'], ['1:1'], ['3:1'], [], [], []]);
  expect(table.named(3, 'c')).toEqual([]);
  expect(naming(emptySymbols(3), 'a')).toEqual([]);
});

it('returns the definitions of a document on given lines', () => {
  const table = read(file, texts.length);
  expect([...table.onLines(0, new Set([2, 4]))]).toEqual([[4, { name: 'b', kind: 'function' }]]);
  expect(table.onLines(1, new Set([1])).size).toBe(0);
});

it('supports large line numbers and many documents', () => {
  const rows = collectSymbols();
  for (let document = 0; document < 3000; document += 7)
    rows.addDocument(document, [{ name: 'far', kind: 'function', line: 100_001 - document }]);
  const table = read(bytesOf(rows.encode(3000)!.bytes), 3000);
  expect(allOf(table)).toHaveLength(Math.ceil(3000 / 7));
  expect(allOf(table)[1]).toBe('7:99994 function far');
});

it('tells a document that was not read from one that defines nothing', () => {
  const table = read(file, texts.length);
  expect(texts.map((_, document) => table.isRead(document))).toEqual([true, false, true, true, false]);
  expect(table.of(2)).toEqual([]);
  expect([emptySymbols(3).isRead(2), emptySymbols(3).of(2)]).toEqual([false, []]);
});

it('starts empty for the next segment, and is absent if no document was read', () => {
  const rows = collectSymbols();
  rows.addDocument(0, [{ name: 'a', kind: 'function', line: 1 }]);
  rows.encode(1);
  expect(rows.encode(2)).toBeUndefined();
  rows.addDocument(1, []);
  const table = read(bytesOf(rows.encode(2)!.bytes), 2);
  expect([table.names.length, table.isRead(0), table.isRead(1)]).toEqual([0, false, true]);
});

it('ignores names that a line cannot hold, and lines that are not in order', () => {
  const rows = collectSymbols();
  const kind = 'function';
  rows.addDocument(0, [
    { name: 'zero', kind, line: 0 },
    { name: 'a\nb', kind, line: 1 },
    { name: '', kind, line: 1 },
    { name: 'x'.repeat(1001), kind, line: 1 },
    { name: '日本語', kind, line: 3 },
    { name: 'back', kind, line: 2 },
  ]);
  expect(read(bytesOf(rows.encode(1)!.bytes), 1).of(0)).toEqual([{ name: '日本語', kind, line: 3 }]);
});

it('refuses a file that does not fit its documents', () => {
  expect(() => read(file, texts.length - 2)).toThrow(RangeError);
  expect(() => read(file, texts.length + 1)).toThrow(RangeError);
  expect(() => read(new ArrayBuffer(16), 1)).toThrow();
  const torn = {
    sizes: Buffer.from([1, 1, 2]),
    places: Buffer.from([0x11]),
    names: Buffer.from('name\n'),
    read: emptyBits(1),
  };
  expect(() => read(bytesOf(encodeSymbolStreams(torn)), 1)).toThrow(RangeError);
});
