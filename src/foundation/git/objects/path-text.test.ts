import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathBytes, pathText } from './path-text.ts';

describe('pathText', () => {
  it('keeps UTF-8, backslashes included', () => {
    expect(pathText(Buffer.from('src/größe\\x/日本.ts'))).toBe('src/größe\\x/日本.ts');
  });

  it('writes any other byte as \\xHH', () => {
    expect(pathText(Buffer.from('caf\xe9/ü', 'latin1'))).toBe('caf\\xE9/\\xFC');
    expect(pathText(Buffer.concat([Buffer.from('ü'), Buffer.of(0xc3)]))).toBe('ü\\xC3');
  });

  it('distinguishes a path that contains such an escape from the byte', () => {
    expect(pathText(Buffer.from('caf\\xE9'))).toBe('caf\\x5CxE9');
  });

  it('is reversed exactly by pathBytes for any bytes', () => {
    const byte = fc.oneof(
      fc.constantFrom(...Buffer.from('\\x5CE9é'), 0xe9, 0xff),
      fc.integer({ min: 1, max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
        expect([...pathBytes(pathText(Buffer.from(bytes)))]).toEqual(bytes);
      }),
      { numRuns: 3_000 },
    );
  });
});
