import { expect, it } from 'vitest';
import type { Source } from '../answer.ts';
import { IssuedSources } from './issued-sources.ts';

const source: Source = {
  kind: 'code',
  address: 'a/x:1-2',
  uri: 'ctx://repo/a/file/x?ref=1#L1-L2',
  url: 'https://ctx.example/x',
  title: 'x',
  excerpt: 'first',
  reason: '',
};

it('issues texts of one address as sources of their own, and the same source once', () => {
  const issued = new IssuedSources([source, { ...source, url: 'https://ctx.example/y' }]);
  const ids = [
    issued.issue(source),
    issued.issue({ ...source, excerpt: 'second' }),
    issued.issue({ ...source, url: 'https://ctx.example/y' }),
    issued.issue({ ...source, title: 'x again' }),
  ];
  expect(ids).toEqual([1, 3, 2, 1]);
  issued.cite(3);
  expect(issued.citations().map(({ n, excerpt }) => [n, excerpt])).toEqual([
    [1, 'second'],
    [2, 'first'],
    [3, 'first'],
  ]);
});
