import { describe, expect, it } from 'vitest';
import { writeVarint } from '../../format/varint.ts';
import { packedRows } from './packed-rows.ts';

interface Row {
  readonly term: number;
  readonly frequency: number;
  readonly bytes: number;
}

function streamOf(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 5);
  return bytes.subarray(
    0,
    values.reduce((at, value) => writeVarint(bytes, at, value), 0),
  );
}

function pack(rows: readonly Row[]): ReturnType<typeof packedRows> {
  return packedRows([
    streamOf(rows.map(({ term }, index) => term - (rows[index - 1]?.term ?? 0))),
    streamOf(rows.map(({ frequency }) => frequency)),
    streamOf(rows.map(({ bytes }) => bytes)),
  ]);
}

describe('packed rows', () => {
  it.each([1, 31, 32, 33, 64, 65, 1000])('return each of %i rows, and none between them', (count) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      term: index * 1000,
      frequency: index + 1,
      bytes: (index % 5) * 100,
    }));
    const find = pack(rows);
    let offset = 0;
    for (const { term, frequency, bytes } of rows) {
      expect(find(term)).toMatchObject({ frequency, offset, bytes });
      expect(find(term + 1)).toBeUndefined();
      offset += bytes;
    }
  });

  it('support the largest term', () => {
    const find = pack([{ term: 0xffffffff, frequency: 1, bytes: 2 }]);
    expect(find(0xffffffff)).toMatchObject({ frequency: 1, offset: 0, bytes: 2 });
    expect(find(0)).toBeUndefined();
  });

  it('may be empty', () => {
    expect(pack([])(7)).toBeUndefined();
  });
});
