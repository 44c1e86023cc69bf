import { expect, it } from 'vitest';
import { firstSentence, paragraphOf, withoutMarkers } from './first-sentence.ts';

it.each([
  ['/** Opens a file. */', 'Opens a file.'],
  ['/// Opens a file.', 'Opens a file.'],
  ['"""Opens a file.\t"""  ', 'Opens a file.'],
  ["r'''Opens a file.'''", 'Opens a file.'],
  [' * of **all** ', 'of **all**'],
  [' */', ''],
  ['# a */ b', 'a */ b'],
])('removes the markers of %s', (line, text) => {
  expect(withoutMarkers(line)).toBe(text);
});

it('finds the first sentence of a text', () => {
  expect(firstSentence('Opens the file, e.g. a log. Then it reads.')).toBe('Opens the file, e.g. a log.');
  expect(firstSentence('x = 1')).toBeUndefined();
});

it.each([
  [
    'Markdown',
    ['/// Converts [`Body`] into', '/// [`Bytes`](crate::Bytes).', '///', '/// # Example', '/// ```'],
    'Converts `Body` into `Bytes`.',
  ],
  [
    'reStructuredText',
    [
      '    """',
      '    Loads :meth:`Flask.run <flask.run>`',
      '    :attr:`~app.x`.',
      '    :param name: x',
      '    """',
    ],
    'Loads `Flask.run` `app.x`.',
  ],
])('reads the first paragraph of %s without its markup', (_markup, lines, text) => {
  expect(paragraphOf(lines)).toBe(text);
});

it('takes time in proportion to the length of a line', () => {
  const started = performance.now();
  withoutMarkers(`/** x${' '.repeat(250_000)}x`);
  withoutMarkers(`/** x${' */'.repeat(80_000)}x`);
  firstSentence(`${'x'.repeat(250_000)} y`);
  paragraphOf([':a:`'.repeat(60_000), '[`'.repeat(100_000)]);
  expect(performance.now() - started).toBeLessThan(10_000);
});
