import { describe, expect, it } from 'vitest';
import { unitFlags } from '../format/segment-sections.ts';
import { cutUnits } from './cut-units.ts';

describe('units', () => {
  it('end after newlines and add up to the text', () => {
    const text = Buffer.from(Array.from({ length: 5000 }, (_, line) => `line ${line}\n`).join(''));
    const units = cutUnits(text);
    expect(units.length).toBeGreaterThan(2);
    expect(Buffer.concat(units.map(({ start, end }) => text.subarray(start, end)))).toEqual(text);
    for (const unit of units) {
      expect(unit.end - unit.start).toBeLessThanOrEqual(16 * 1024);
      expect(text[unit.end - 1]).toBe(0x0a);
      expect(text.toString('latin1', unit.start, unit.start + 20)).toMatch(`line ${unit.firstLine - 1}\n`);
    }
  });

  it('are longer for a longer line', () => {
    const text = Buffer.from(`short\n${'x'.repeat(40_000)}\nshort`);
    expect(cutUnits(text).map(({ start, end }) => end - start)).toEqual([6, 40_001, 5]);
  });

  it('have flags for decoding their text', () => {
    const flags = (bytes: Uint8Array): number | undefined => cutUnits(Buffer.from(bytes))[0]?.flags;
    expect(flags(Buffer.from('plain'))).toBe(unitFlags.ascii | unitFlags.validUtf8);
    expect(flags(Buffer.from('größer'))).toBe(unitFlags.validUtf8);
    expect(flags(Buffer.from([0x61, 0xff]))).toBe(0);
  });

  it('do not exist for an empty file', () => {
    expect(cutUnits(Buffer.alloc(0))).toEqual([]);
  });
});
