import { expect, it } from 'vitest';
import { usableNames, usablePaths } from './usable-names.ts';

it('takes each name once, and none that no line can hold', () => {
  expect(usableNames(['leaseOf', 'leaseOf', 'x', '  ', 'a\nb', 'a\0b', 'a\ud800', '日本'])).toEqual([
    'leaseOf',
    '日本',
  ]);
});

it('takes the first ten', () => {
  const names = Array.from({ length: 12 }, (_, index) => `name${index}`);
  expect(usableNames(names)).toEqual(names.slice(0, 10));
});

it('takes paths from the root, however that is written', () => {
  expect(usablePaths(['./src/a.ts', '/src/a.ts', '.gitignore', './.github/ci.yml'])).toEqual([
    'src/a.ts',
    'src/a.ts',
    '.gitignore',
    '.github/ci.yml',
  ]);
});
