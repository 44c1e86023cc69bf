import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { startOf } from './shapes.ts';

describe('the start of a text', () => {
  it('is the text, or its first characters and an ellipsis', () => {
    expect([startOf('abc', 3), startOf('abcd', 3)]).toEqual(['abc', 'abc…']);
  });

  it('does not keep the whole text in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const bytes = 16 * 1024 ** 2;
    const before = used();
    const starts = Array.from({ length: 8 }, (_, n) =>
      startOf(JSON.parse(`"${String(n).repeat(bytes)}"`) as string, 500),
    );
    expect(used() - before).toBeLessThan(2 * bytes);
    expect(starts).toHaveLength(8);
  });
});
