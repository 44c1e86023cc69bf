import { expect, it } from 'vitest';
import { encodeSymbolStreams } from '../../format/symbol-section.ts';
import { collectSymbols } from '../../segment/symbol-rows.ts';
import { type SymbolTable, symbolTable, unpackSymbols } from './symbol-table.ts';

function sectionOf(texts: readonly string[], language = 'Go'): ArrayBuffer {
  const rows = collectSymbols();
  texts.forEach((text, document) => {
    if (text !== '') rows.addDocument(document, language, Buffer.from(text));
  });
  return bytesOf(rows.encode(texts.length));
}

function read(section: ArrayBuffer, documents: number): SymbolTable {
  return symbolTable(unpackSymbols(section, documents, (bytes) => new ArrayBuffer(bytes)));
}

function bytesOf(section: Buffer): ArrayBuffer {
  return new Uint8Array(section).buffer;
}

const texts = ['func a() {}\n\n\nfunc b() {}\n', '', 'text', 'type Größe struct {\n\tKey string\n}\n', ''];

function allOf(table: SymbolTable): string[] {
  const found: string[] = [];
  for (let at = 0; at < table.names.length; at = table.names.indexOf(0x0a, at) + 1) {
    const { name, kind, line } = table.at(at);
    found.push(`${table.documentAt(at)}:${line} ${kind} ${name}`);
  }
  return found;
}

it('returns the document, line and kind of each name', () => {
  const table = read(sectionOf(texts), texts.length);
  expect(allOf(table)).toEqual(['0:1 function a', '0:4 function b', '3:1 struct Größe', '3:2 field Key']);
  expect(table.namesAreAscii).toBe(false);
});

it('returns the definitions of a document on given lines', () => {
  const table = read(sectionOf(texts), texts.length);
  expect([...table.onLines(0, new Set([2, 4]))]).toEqual([[4, { name: 'b', kind: 'function' }]]);
  expect(table.onLines(1, new Set([1])).size).toBe(0);
});

it('supports large line numbers and many documents', () => {
  const far = `${'\n'.repeat(100_000)}func far() {}\n`;
  const many = Array.from({ length: 3000 }, (_, index) => (index % 7 === 0 ? far.slice(index) : ''));
  const table = read(sectionOf(many), many.length);
  expect(allOf(table)).toHaveLength(Math.ceil(3000 / 7));
  expect(allOf(table)[1]).toBe('7:99994 function far');
});

it('is empty if nothing is defined, and starts empty for the next segment', () => {
  const rows = collectSymbols();
  rows.addDocument(0, 'Go', Buffer.from('func a() {}\n'));
  rows.encode(1);
  const table = read(bytesOf(rows.encode(2)), 2);
  expect(table.names).toHaveLength(0);
});

it('refuses a section that does not fit its documents', () => {
  expect(() => read(sectionOf(texts), texts.length - 2)).toThrow(RangeError);
  expect(() => read(sectionOf(texts), texts.length + 1)).toThrow(RangeError);
  expect(() => read(new ArrayBuffer(16), 1)).toThrow();
  const torn = { sizes: Buffer.from([1, 1, 2]), places: Buffer.from([0x11]), names: Buffer.from('name\n') };
  expect(() => read(bytesOf(encodeSymbolStreams(torn)), 1)).toThrow(RangeError);
});
