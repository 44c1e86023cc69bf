import { expect, it } from 'vitest';
import { usableNames, usablePaths } from './usable-names.ts';

it('removes duplicates and names that cannot occur in a line', () => {
  expect(usableNames(['leaseOf', 'leaseOf', 'x', '  ', 'a\nb', 'a\0b', 'a\ud800', '日本'])).toEqual([
    'leaseOf',
    '日本',
  ]);
});

it('returns at most ten names', () => {
  const names = Array.from({ length: 12 }, (_, index) => `name${index}`);
  expect(usableNames(names)).toEqual(names.slice(0, 10));
});

it('removes a leading ./ or / from paths', () => {
  expect(usablePaths(['./src/a.ts', '/src/a.ts', '.gitignore', './.github/ci.yml'])).toEqual([
    'src/a.ts',
    'src/a.ts',
    '.gitignore',
    '.github/ci.yml',
  ]);
});
