import { expect, it } from 'vitest';
import { type Place, parseAddress, placeOfUri, printAddress } from './address.ts';

const names = ['team', 'team/api', 'orders'];

it.each<[string, Place]>([
  ['orders/src/a.ts', { repository: 'orders', path: 'src/a.ts' }],
  ['orders/src/a.ts:10', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: 10 } }],
  ['orders/src/a.ts:10-20', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: 20 } }],
  ['orders/src/a.ts:10-', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: undefined } }],
  ['orders/@types/b@2.ts', { repository: 'orders', path: '@types/b@2.ts' }],
  [
    'team/api/a.go@0123abc:3-4',
    { repository: 'team/api', path: 'a.go', commit: '0123abc', lines: { first: 3, last: 4 } },
  ],
  ['team/other/a.go', { repository: 'team', path: 'other/a.go' }],
  ['ctx://repo/orders/file/a%400123abc', { repository: 'orders', path: 'a@0123abc' }],
  ['ctx://repo/orders/file/a%3A7#L2-L3', { repository: 'orders', path: 'a:7', lines: { first: 2, last: 3 } }],
  ['ctx://repo/orders/file/a%0Ab?ref=0123abc', { repository: 'orders', path: 'a\nb', commit: '0123abc' }],
])('reads and prints %s', (text, place) => {
  expect(parseAddress(text, names)).toEqual(place);
  expect(printAddress(place)).toBe(text);
});

it.each([
  ['ctx://repo/a/file/b.ts', { repository: 'a', path: 'b.ts' }],
  [
    'ctx://repo/team%2Fa/file/src/b%20c.ts?ref=main#L1-L2',
    { repository: 'team/a', path: 'src/b c.ts', commit: 'main', lines: { first: 1, last: 2 } },
  ],
  ['ctx://repo/a/file/x/file/b?ref=', { repository: 'a', path: 'x/file/b' }],
  ['ctx://repo/a/file/b?other=1', undefined],
  ['ctx://repo/a/file/b?ref=1&x=2', undefined],
  ['ctx://repo/a/file/', undefined],
  ['ctx://repo//file/b', undefined],
  ['ctx://repo/a/commit/b', undefined],
  ['ctx://repo/%zz/file/b', undefined],
  ['https://example.com', undefined],
])('reads the resource address of a file: %s', (uri, expected) => {
  expect(placeOfUri(uri)).toEqual(expected);
});

it.each([
  ['ordres/src/a.ts:3', 'did you mean `orders/src/a.ts:3`?'],
  ['acme/orders/src/a.go', 'did you mean `orders/src/a.go`?'],
  ['ctx://repo/ordres/src/a.ts', 'did you mean `orders/src/a.ts`?'],
  ['README.md', 'list the repositories'],
  ['orders/', 'list the repositories'],
])('refuses %s with the nearest right address', (text, advice) => {
  expect(() => parseAddress(text, names)).toThrow(advice);
});

it('takes time in proportion to the length of an address', () => {
  const started = performance.now();
  expect(placeOfUri(`ctx://repo${'/file/'.repeat(100_000)}?x`)).toBeUndefined();
  expect(() => parseAddress(`${'@'.repeat(300_000)}:${'1'.repeat(300_000)}`, names)).toThrow();
  expect(performance.now() - started).toBeLessThan(5_000);
});
