import { expect, it } from 'vitest';
import { fileOfUri } from './entity-of-uri.ts';

it.each([
  ['ctx://repo/a/file/b.ts', { repository: 'a', path: 'b.ts' }],
  [
    'ctx://repo/team%2Fa/file/src/b%20c.ts?ref=main#L1-L2',
    { repository: 'team/a', path: 'src/b c.ts', commit: 'main' },
  ],
  ['ctx://repo/a/file/x/file/b?ref=', { repository: 'a', path: 'x/file/b' }],
  ['ctx://repo/a/file/b?other=1', undefined],
  ['ctx://repo/a/file/b?ref=1&x=2', undefined],
  ['ctx://repo/a/file/', undefined],
  ['ctx://repo//file/b', undefined],
  ['ctx://repo/a/commit/b', undefined],
  ['ctx://repo/%zz/file/b', undefined],
  ['https://example.com', undefined],
])('reads the address of a file: %s', (uri, expected) => {
  expect(fileOfUri(uri)).toEqual(expected);
});

it('takes time in proportion to the length of an address', () => {
  const started = performance.now();
  expect(fileOfUri(`ctx://repo${'/file/'.repeat(100_000)}?x`)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(5_000);
});
