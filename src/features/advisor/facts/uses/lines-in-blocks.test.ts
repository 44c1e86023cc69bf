import { expect, it } from 'vitest';
import { linesInBlocks } from './lines-in-blocks.ts';

it('finds the lines of docstrings and block comments', () => {
  const lines = [
    'def limit():', // 1
    '    """Returns the limit.', // 2
    '', // 3
    '    MAX_SIZE is not read here.', // 4
    '    """', // 5
    '    return MAX_SIZE', // 6
    '    """One line."""', // 7
    '/*', // 8
    ' MAX_SIZE', // 9
    '*/', // 10
    "const glob = 'src/*.ts';", // 11
    'const all = "**/*";', // 12
    'return MAX_SIZE; /* the limit */', // 13
    'return MAX_SIZE;', // 14
  ];
  expect([...linesInBlocks(lines)]).toEqual([2, 3, 4, 5, 7, 8, 9, 10]);
});

it('knows where a block ends on a line with several', () => {
  const lines = [
    '  /* a */ /* b', // 1
    ' c */ run(); """ d', // 2
    ' e """ + /* f */ 1', // 3
    'const glob = \'src/*\' + """; /*', // 4
    'run();', // 5
    '/*/ g', // 6
    '*/', // 7
    "\t''' /* h '''", // 8
    'run();', // 9
  ];
  expect([...linesInBlocks(lines)]).toEqual([1, 2, 3, 6, 7, 8]);
});

it.each([
  ['comments', '/**/ ', ''],
  ['comments after spaces', '/**/ ', ' '.repeat(200_000)],
  ['comments after code', ' /**/', 'x'],
  ['quotes', '"" /**/ ', 'x'],
  ['docstrings', '"""""" ', ''],
])('takes time in proportion to the length of a line of %s', (_, part, start) => {
  const started = performance.now();
  linesInBlocks([start + part.repeat(200_000), 'x']);
  expect(performance.now() - started).toBeLessThan(10_000);
});
