import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trigramsOf } from '../format/trigram.ts';
import { trigramInverter } from './invert-trigrams.ts';

/** Returns the expected trigrams with a simple algorithm. */
function trigramsOfLines(text: Buffer): number[] {
  const lines = text.toString('latin1').split('\n');
  return [...new Set(lines.flatMap((line) => trigramsOf(Buffer.from(line, 'latin1'))))].toSorted(ascending);
}

/** Returns a megabyte of pseudo-random letters, the same each time. */
function pseudoRandomText(): Buffer {
  const text = Buffer.alloc(1 << 20);
  let state = 1;
  for (let at = 0; at < text.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text[at] = 0x20 + ((state >>> 16) % 96);
  }
  return text;
}

const ascending = (a: number, b: number): number => a - b;

describe('the trigrams of a text', () => {
  const inverter = trigramInverter();
  const noted = (...texts: Buffer[]): number[] => {
    for (const text of texts) inverter.note(text);
    inverter.endUnit(0);
    return [...inverter.drain(1)].flatMap(({ keys }) => [...keys].map((key) => key >>> 1));
  };

  it.each([
    ['of this file', readFileSync(import.meta.filename)],
    ['of every byte', Buffer.from(Array.from({ length: 1024 }, (_, index) => (index * 37) % 256))],
    ['of letters of either case', Buffer.from('aBc AbC\nabc')],
    ['of no byte', Buffer.alloc(0)],
    ['of two bytes', Buffer.from('ab')],
    ['of lines shorter than one', Buffer.from('a\nbc\nd\n')],
  ])('%s are each found once', (_, text) => {
    expect(noted(text)).toEqual(trigramsOfLines(text));
    // A second text starts from a clean state.
    expect(noted(text)).toEqual(trigramsOfLines(text));
  });

  it('are found in a line that is longer than one chunk', () => {
    const text = Buffer.alloc(200_000, 'x');
    // At the ends of chunks only.
    text.write('abcd', 65_534);
    text.write('efgh', 131_071);
    expect(noted(text)).toEqual(trigramsOfLines(text));
  });

  it('do not span two pieces of text', () => {
    expect(noted(Buffer.from('abc'), Buffer.from('def'))).toEqual(trigramsOfLines(Buffer.from('abc\ndef')));
  });

  it('are all found in a text with every trigram', () => {
    const all = Buffer.alloc(128 * 128 * 130);
    let at = 0;
    for (let first = 0; first < 128; first++) {
      for (let second = 0; second < 128; second++) {
        all[at++] = first;
        for (let third = 0; third < 128; third += 1) all[at++] = third;
        all[at++] = second;
      }
    }
    expect(noted(all)).toEqual(trigramsOfLines(all));
  });

  it('still fit for one more file when the inverter is full', () => {
    const text = pseudoRandomText();
    let units = 0;
    const add = (): void => {
      inverter.note(text);
      inverter.endUnit(units++);
    };
    while (!inverter.isFull()) add();
    add();
    let keys = 0;
    for (const encoded of inverter.drain(units)) keys += encoded.keys.length;
    expect(units).toBeGreaterThan(10);
    expect(keys).toBeGreaterThan(300_000);
    expect(inverter.isFull()).toBe(false);
  });
});
