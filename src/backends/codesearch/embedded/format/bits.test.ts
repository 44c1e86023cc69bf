import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countBits, eachBit, emptyBits, forEachBit, setBit } from './bits.ts';

it('counts and iterates the members of a set', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(199)), (members) => {
      const bits = emptyBits(200);
      for (const member of members) setBit(bits, member);
      expect(countBits(bits)).toBe(members.length);
      const sorted = members.toSorted((a, b) => a - b);
      expect([...eachBit(bits, 0, 200)]).toEqual(sorted);
      const visited: number[] = [];
      forEachBit(bits, 150, (member) => visited.push(member));
      expect(visited).toEqual(sorted.filter((member) => member < 150));
    }),
  );
});

it('counts full words', () => {
  expect(countBits(Uint32Array.of(0xffffffff, 0x80000000, 1))).toBe(34);
});
