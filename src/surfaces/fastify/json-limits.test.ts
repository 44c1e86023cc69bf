import { describe, expect, it } from 'vitest';
import { exceededJsonLimit } from './json-limits.ts';

const [members, depth] = [100, 10];
const exceeded = (text: string) => exceededJsonLimit(Buffer.from(text), { members, depth });

describe('the limits of a JSON body', () => {
  it.each([
    [
      'members of an object',
      `{${Array.from({ length: members + 2 }, (_, n) => `"${n}":1`).join()}}`,
      'members',
    ],
    ['items of an array', `[${'1,'.repeat(members + 1)}1]`, 'members'],
    ['empty objects', `[${'{},'.repeat(members)}1]`, 'members'],
    ['members in several objects', `[${'{"a":1,"b":2},'.repeat(members / 2)}1]`, 'members'],
    ['nested arrays', '['.repeat(depth + 1), 'nested'],
    ['nested objects', '{"a":'.repeat(depth + 1), 'nested'],
    ['members after a string with an escaped quote', `["\\"",${'1,'.repeat(members + 1)}1]`, 'members'],
  ])('count %s', (_what, text, limit) => {
    expect(exceeded(text)).toMatch(limit);
  });

  it.each([
    ['as many items as allowed', `[${'1,'.repeat(members - 1)}1]`],
    ['as many levels as allowed', '['.repeat(depth) + ']'.repeat(depth)],
    ['commas and brackets in a string', JSON.stringify(`\\"${'[{,'.repeat(members)}\\`)],
    ['a string that does not end', `"${','.repeat(members * 2)}`],
    ['a string that ends in a backslash', '"\\'],
    ['nothing', ''],
  ])('accept %s', (_what, text) => {
    expect(exceeded(text)).toBeUndefined();
  });
});
