import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findAnywhere, needleOf } from './needle.ts';
import { textArena } from './text-arena.ts';

const arena = textArena();
/** Text of few letters, so that exact and near matches are frequent. */
const bytes = (minLength: number, maxLength: number): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.constantFrom(...Buffer.from('abAB \n{\xff[', 'latin1')), { minLength, maxLength })
    .map(Buffer.from);

function naive(needle: Buffer, text: Buffer, from: number, anyCase: boolean): number {
  const plain = (of: Buffer): string =>
    anyCase ? of.toString('latin1').replace(/[A-Z]/g, lower) : of.toString('latin1');
  return plain(text).indexOf(plain(needle), from);
}

function lower(letter: string): string {
  return letter.toLowerCase();
}

it('finds the same as a plain search, in its own memory and in other memory', () => {
  fc.assert(
    fc.property(bytes(1, 6), bytes(0, 200), fc.nat(20), fc.boolean(), (wanted, text, from, anyCase) => {
      const needle = needleOf(wanted, anyCase);
      const start = Math.min(from, text.length);
      const expected = naive(wanted, text, start, anyCase);
      // The bytes after the text would match.
      const own = arena.memory.subarray(0, text.length);
      arena.memory.set(wanted, text.length);
      own.set(text);
      expect(arena.find(needle, own, start)).toBe(expected);
      expect(findAnywhere(needle, text, start)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

it('finds a needle at the end of its memory', () => {
  const { memory } = arena;
  memory.fill(0x20);
  memory.write('needle', memory.length - 6);
  expect(arena.find(needleOf(Buffer.from('NEEDLE'), true), memory, 0)).toBe(memory.length - 6);
  expect(arena.find(needleOf(Buffer.from('needles'), false), memory, 0)).toBe(-1);
});

it('finds a needle that is longer than the memory for needles', () => {
  const long = Buffer.alloc(40_000, 'ab');
  arena.memory.set(long, 5);
  expect(arena.find(needleOf(long, false), arena.memory.subarray(0, 50_000), 0)).toBe(5);
});

it('counts newlines', () => {
  fc.assert(
    fc.property(bytes(0, 100), fc.nat(10), (text, from) => {
      const start = Math.min(from, text.length);
      const own = arena.memory.subarray(0, text.length);
      own.set(text);
      const expected = text.subarray(start).filter((byte) => byte === 0x0a).length;
      expect(arena.countNewlines(own, start, text.length)).toBe(expected);
      expect(arena.countNewlines(text, start, text.length)).toBe(expected);
    }),
  );
});

it.each([
  ['its own memory', arena.memory],
  ['other memory', Buffer.alloc(arena.memory.length)],
])('skips a run of the first byte of a long needle quickly in %s', (_, text) => {
  text.fill('b');
  const needle = needleOf(Buffer.from(`${'b'.repeat(999)}a`), true);
  const before = process.threadCpuUsage();
  expect(arena.find(needle, text, 0)).toBe(-1);
  // In microseconds. Comparing the whole needle at each position takes a second.
  expect(process.threadCpuUsage(before).user).toBeLessThan(200_000);
});
