import { expect, it } from 'vitest';
import { isNodeKind, originOfKey } from './port.ts';

const connection = '0190f6c1-7a55-7d7a-9c0e-6a1c2b3d4e5f';

it.each([
  [`page:${connection}:7`, connection],
  [`issue:${connection}:i1`, connection],
  ['file:r1:src/a.ts', 'r1'],
  ['service:catalog:r1/shop', 'r1'],
  [`person:${connection}:u1`, undefined],
  [`alias:${connection}:x`, undefined],
  ['team:github.com:acme/web', undefined],
])('the key %s has the origin %s, whatever connector its kind belongs to', (key, origin) => {
  expect(originOfKey(key)).toBe(origin);
});

it('takes short words in lower case for kinds of nodes', () => {
  expect(['issue', 'wiki-page'].every(isNodeKind)).toBe(true);
  expect(['', 'Issue', '-', 'a b', '__proto__', 'a'.repeat(41)].some(isNodeKind)).toBe(false);
});
