import { expect, it } from 'vitest';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { parseResourceUri, printCommitUri, printFileUri } from './resource-uri.ts';

it.each([
  ['ctx://repo/a/file/b.ts', { kind: 'file', repository: 'a', path: 'b.ts' }],
  [
    'ctx://repo/team%2Fa/file/src/b%20c.ts?ref=main#L1-L2',
    { kind: 'file', repository: 'team/a', path: 'src/b c.ts', commit: 'main', lines: { first: 1, last: 2 } },
  ],
  ['ctx://repo/a/file/x/file/b?ref=', { kind: 'file', repository: 'a', path: 'x/file/b' }],
  ['ctx://repo/a/file/b?other=1', undefined],
  ['ctx://repo/a/file/b?ref=1&x=2', undefined],
  ['ctx://repo/a/file/', undefined],
  ['ctx://repo//file/b', undefined],
  [
    'ctx://repo/a/file/b#L3-',
    { kind: 'file', repository: 'a', path: 'b', lines: { first: 3, last: undefined } },
  ],
  ['ctx://repo/a/commit/b', undefined],
  ['ctx://repo/team%2Fa/commit/0123ABC', { kind: 'commit', repository: 'team/a', commit: '0123abc' }],
  ['ctx://tracker/label/c1%3Ahub', { kind: 'record', connector: 'tracker', type: 'label', id: 'c1:hub' }],
  ['ctx://tracker/label/%zz', undefined],
  ['ctx://x', undefined],
  ['ctx://repo/%zz/file/b', undefined],
  ['https://example.com', undefined],
])('reads %s', (uri, expected) => {
  expect(parseResourceUri(uri)).toEqual(expected);
});

it.each([
  { first: 3, last: 3 },
  { first: 3, last: 9 },
  { first: 3, last: undefined },
])('prints the lines %j', (lines) => {
  const place = { repository: 'a', path: 'b', lines };
  expect(parseResourceUri(printFileUri(place))).toEqual({ kind: 'file', ...place });
});

it.each(['svc/file/core', 'svc/file', 'file/core', 'file', 'a/commit/b', 'commit', 'team/api'])(
  'prints addresses in the repository %s that are read as the same place',
  (repository) => {
    const place = { repository, path: 'file/x/commit/0123abc' };
    expect(parseResourceUri(printFileUri(place))).toEqual({ kind: 'file', ...place });
    const commit = '0123abc';
    expect(parseResourceUri(printCommitUri(repository, commit))).toEqual({
      kind: 'commit',
      repository,
      commit,
    });
  },
);

it('keeps the slashes of a name that needs no encoding', () => {
  expect(printFileUri({ repository: 'team/api', path: 'a' })).toBe('ctx://repo/team/api/file/a');
  expect(printFileUri({ repository: 'svc/file/core', path: 'a' })).toBe(
    'ctx://repo/svc%2Ffile%2Fcore/file/a',
  );
});

it('takes time in proportion to the length of an address', () => {
  const processorMs = measureProcessor();
  for (const part of ['/file/', '/commit/', '/'])
    expect(parseResourceUri(`ctx://repo${part.repeat(100_000)}?x`)).toBeUndefined();
  expect(processorMs()).toBeLessThan(5_000);
});
