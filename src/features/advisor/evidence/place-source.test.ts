import { expect, it } from 'vitest';
import { parseAddress } from '../../search/address.ts';
import { addressValue, nextCall } from './place-source.ts';

it.each([
  ['src/a.ts', 'web/src/a.ts:3-4'],
  ['pages/[slug].ts', 'ctx://repo/web/file/pages/%5Bslug%5D.ts#L3-L4'],
  ['a; b=c.ts', 'ctx://repo/web/file/a%3B%20b%3Dc.ts#L3-L4'],
  ['two  spaces', 'ctx://repo/web/file/two%20%20spaces#L3-L4'],
  ['a`b', 'ctx://repo/web/file/a%60b#L3-L4'],
  ['日本.ts', 'web/日本.ts:3-4'],
])('prints the address of %s so that it is one value', (path, value) => {
  const place = { repository: 'web', path, lines: { first: 3, last: 4 } };
  expect(addressValue(place, [{ name: 'web' }])).toBe(value);
  expect(nextCall('history', { address: value })).toEqual([`history address=${value}`]);
  expect(parseAddress(value, ['web'])).toEqual(place);
});

it('prints an address that two repositories may have so that it is in one', () => {
  const names = ['team', 'team/api'];
  const value = addressValue(
    { repository: 'team/api', path: 'a.ts' },
    names.map((name) => ({ name })),
  );
  expect(parseAddress(value, names)).toEqual({ repository: 'team/api', path: 'a.ts' });
});

it('prints lists in brackets', () => {
  expect(nextCall('read_file', { places: ['web/a:1', 'web/b'] })).toEqual([
    'read_file places=[web/a:1,web/b]',
  ]);
});

it.each(['a b', 'a;b', 'a=b', '[]', 'a`', 'a,b', 'a\u200Bb', '', 'x'.repeat(301)])(
  'prints no call with %j, which could be read as more than one value',
  (name) => expect(nextCall('find_references', { name })).toEqual([]),
);
