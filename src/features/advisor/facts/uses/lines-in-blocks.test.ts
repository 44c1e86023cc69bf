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
