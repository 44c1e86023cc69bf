import { expect, it } from 'vitest';
import { measureProcessor } from '../../../test/support/run/processor-time.ts';
import { type Place, parseAddress, parsePlace, printAddress, printCommit } from './address.ts';

const names = ['team', 'team/api', 'acme/api', 'orders'];

it.each<[string, Place]>([
  ['orders/src/a.ts', { repository: 'orders', path: 'src/a.ts' }],
  ['orders/src/a.ts:10', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: 10 } }],
  ['orders/src/a.ts:10-20', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: 20 } }],
  ['orders/src/a.ts:10-', { repository: 'orders', path: 'src/a.ts', lines: { first: 10, last: undefined } }],
  ['orders/@types/b@2.ts', { repository: 'orders', path: '@types/b@2.ts' }],
  [
    'acme/api/a.go@0123abc:3-4',
    { repository: 'acme/api', path: 'a.go', commit: '0123abc', lines: { first: 3, last: 4 } },
  ],
  ['ctx://repo/orders/file/a%3A1%3A%20b', { repository: 'orders', path: 'a:1: b' }],
  [
    'ctx://repo/orders/file/a%3A%20b.ts#L3',
    { repository: 'orders', path: 'a: b.ts', lines: { first: 3, last: 3 } },
  ],
  ['orders/A::b.3pm', { repository: 'orders', path: 'A::b.3pm' }],
  ['ctx://repo/orders/file/a%400123abc', { repository: 'orders', path: 'a@0123abc' }],
  ['ctx://repo/orders/file/a%3A7#L2-L3', { repository: 'orders', path: 'a:7', lines: { first: 2, last: 3 } }],
  ['ctx://repo/orders/file/a%0Ab?ref=0123abc', { repository: 'orders', path: 'a\nb', commit: '0123abc' }],
])('reads and prints %s', (text, place) => {
  expect(parseAddress(text, names)).toEqual(place);
  expect(printAddress(place)).toBe(text);
});

it.each([
  ['ordres/src/a.ts:3', 'did you mean a path in `orders`?'],
  ['acme/orders/src/a.go', 'did you mean a path in `orders`?'],
  ['ctx://repo/ordres/src/a.ts', 'did you mean a path in `orders`?'],
  ['README.md', 'list the repositories'],
  ['orders/', 'names a repository; a file of it is `orders/path`'],
  ['orders@0123abc', 'names a commit, which show_commit shows; a file of it is `orders/path@0123abc`'],
  ['ctx://repo/gone/file/x', 'list the repositories'],
])('refuses %s with the nearest repository', (text, advice) => {
  expect(() => parseAddress(text, names)).toThrow(advice);
});

it.each<[string, Place]>([
  ['orders', { repository: 'orders', path: '' }],
  ['team/api', { repository: 'team/api', path: '' }],
  ['team', { repository: 'team', path: '' }],
  ['orders@0123abc', { repository: 'orders', path: '', commit: '0123abc' }],
])('reads and prints %s as a whole repository or commit', (text, place) => {
  expect(parsePlace(text, names)).toEqual(place);
  expect(printAddress(place)).toBe(text);
});

it.each([
  ['orders/src/a.ts#L10-L20', 'orders/src/a.ts:10-20'],
  ['orders/src/a.ts#L10-20', 'orders/src/a.ts:10-20'],
  ['orders/src/a.ts@0123abc#L10', 'orders/src/a.ts@0123abc:10'],
  ['https://git.example/acme/api/blob/main/src/a.ts#L10-L20', 'acme/api/src/a.ts:10-20'],
  ['https://git.example/group/orders/-/blob/master/src/a%20b.ts', 'orders/src/a b.ts'],
  ['https://git.example/acme/api/src/branch/main/src/a.ts#L10', 'acme/api/src/a.ts:10'],
  ['https://git.example/acme/api/blob/0123abc/src/a.ts?plain=1#L10', 'acme/api/src/a.ts@0123abc:10'],
])('reads %s as a link has it', (text, address) => {
  expect(printAddress(parseAddress(text, names))).toBe(address);
});

it.each([
  ['https://git.example/acme/api/blob/v1.2/src/a.ts#L10-L20', 'did you mean a path in `acme/api`?'],
  ['https://git.example/acme/apii/blob/main/src/a.ts#L10', 'did you mean a path in `acme/api`?'],
  ['https://git.example/other/thing/blob/main/src/a.ts#L10', 'list the repositories'],
])('refuses the link %s with the nearest repository', (text, advice) => {
  expect(() => parseAddress(text, names)).toThrow(advice);
});

it.each(['src/a.ts@abcdef1 2026-01-01 x', 'src/a.ts of 3 lines', 'a@0123abc of'])(
  'prints a path that another address begins as a resource: %s',
  (path) => {
    const text = printAddress({ repository: 'orders', path });
    expect(text).toMatch(/^ctx:\/\/repo\/orders\/file\//u);
    expect(parseAddress(text, ['orders'])).toMatchObject({ repository: 'orders', path });
  },
);

it('prints a path that ends like the lines of a link as it can be read again', () => {
  const place = { repository: 'orders', path: 'a#L3' };
  expect(parseAddress(printAddress(place), names)).toEqual(place);
});

it('reads the resource address of a commit, and prints a commit with a short id', () => {
  const commit = '0123abc'.padEnd(40, '4');
  const place = parsePlace(`ctx://repo/team/api/commit/${commit}`, names);
  expect(place).toEqual({ repository: 'team/api', path: '', commit });
  expect(printCommit(place.repository, commit)).toBe('team/api@0123abc44444');
});

it('refuses an address that two names fit, with an address of each', () => {
  const both =
    'could be `ctx://repo/team/api/file/src/a.go?ref=0123abc#L3` or `ctx://repo/team/file/api/src/a.go?ref=0123abc#L3`';
  for (const parse of [parseAddress, parsePlace])
    expect(() => parse('team/api/src/a.go@0123abc:3', names)).toThrow(both);
  expect(parseAddress('ctx://repo/team/api/file/src/a.go', names).repository).toBe('team/api');
  expect(parseAddress('ctx://repo/team/file/api/src/a.go', names)).toEqual({
    repository: 'team',
    path: 'api/src/a.go',
  });
  expect(parseAddress('team/other/a.go', names)).toEqual({ repository: 'team', path: 'other/a.go' });
});

it('reads a path in the form of Git', () => {
  expect(parseAddress('orders//src/./a.ts:3', names).path).toBe('src/a.ts');
  expect(() => parseAddress('orders/../a.ts', names)).toThrow('`..`');
});

it.each(['orders:10', 'orders@0123abc:10', 'ordres@0123abc'])('refuses %s', (text) => {
  expect(() => parsePlace(text, names)).toThrow('names no file of a repository here');
});

it('takes time in proportion to the length of an address', () => {
  const processorMs = measureProcessor();
  expect(() => parseAddress(`${'@'.repeat(300_000)}:${'1'.repeat(300_000)}`, names)).toThrow();
  expect(processorMs()).toBeLessThan(5_000);
});
