import { expect, it } from 'vitest';
import { entrySaying, entryWith } from './changelog.ts';

it('finds the entry of a changelog by a number or by its words, with its version and day', async () => {
  const lines = [
    '## 2.0.0',
    '',
    'Released 2020-01-01',
    '',
    '- Another entry (#1234)',
    '- An entry of two',
    '  lines (#123)',
    '',
    '## 1.0.0',
  ];
  expect(entryWith(lines, ['123'])).toEqual({
    text: 'An entry of two lines (#123)',
    line: 6,
    endLine: 7,
    version: '2.0.0',
    released: '2020-01-01',
  });
  expect(entryWith(lines, ['12'])).toBeUndefined();
  const more = [...lines, '', '- Requests without a boundary raise an error'];
  const said = await entrySaying(more, 'Raise for requests without boundaries');
  expect(said).toMatchObject({ line: 11, version: '1.0.0', released: undefined });
  expect(await entrySaying(more, 'Raise for responses without headers')).toBeUndefined();
});
