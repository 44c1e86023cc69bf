import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

const limits = { line: 1_000, whole: 10_000 };
const tooLarge = (): Error => new Error('too large');

async function linesOf(chunks: readonly Uint8Array[], within = limits): Promise<string[]> {
  const body = async function* () {
    yield* chunks;
  };
  const lines: string[] = [];
  for await (const line of readLines(body(), within, tooLarge)) lines.push(line);
  return lines;
}

it('yields the same lines for any division into chunks, also within a character', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 20 }).filter((line) => !/[\n\r]/.test(line)),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(await linesOf(chunks)).toEqual(lines);
    }),
  );
});

it('accepts a last line without a terminator', async () => {
  expect(await linesOf([Buffer.from('a\nb')])).toEqual(['a', 'b']);
});

it('refuses a line or a body as soon as it exceeds its limit', async () => {
  const chunk = Buffer.alloc(600, 'x');
  await expect(linesOf([chunk, chunk])).rejects.toThrow('too large');
  await expect(linesOf([chunk, Buffer.concat([chunk, Buffer.from('\n')])])).rejects.toThrow('too large');
  const short = Buffer.from(`${'y'.repeat(99)}\n`);
  await expect(linesOf(Array.from({ length: 101 }, () => short))).rejects.toThrow('too large');
});
