import { expect, it } from 'vitest';
import { paragraphsIn, saysWhy } from './stated-reason.ts';

it.each([
  ['The header is left out, because proxies drop it.', true],
  ['We must not follow it here: the body is gone.', true],
  ['**follow** - *(optional)* Enables redirects in order to reach the page.', false],
  ['@param follow to follow redirects instead of returning them', false],
  ['Returns the redirect.', false],
])('tells a reason from a description: %s', (text, isReason) => {
  expect(saysWhy(text)).toBe(isReason);
});

it('reads the paragraphs of a document with their lines, without headings and samples', () => {
  const text = '# Pools\n\nA pool is shared,\nbecause sockets are few.\n\n```js\nopen()\n```\n\nThe rest.';
  const found = paragraphsIn({ path: 'docs/pools.md' } as never, 10, text);
  expect(found.map(({ line, text: paragraph }) => [line, paragraph])).toEqual([
    [12, 'A pool is shared, because sockets are few.'],
    [19, 'The rest.'],
  ]);
});
