import { expect, it } from 'vitest';
import { isProductFile, isTestPath, testsLast } from './test-path.ts';

it.each([
  'test/a.ts',
  'src/a.test.ts',
  'examples/a.rs',
  '_examples/a.go',
  'pkg/test_a.py',
  'benches-x/bench/a.rs',
  't/unit/a.py',
  'typings/a.test-d.ts',
])('%s is no code of the product', (path) => {
  expect([isTestPath(path), isProductFile({ path, fileClass: 'source' })]).toEqual([true, false]);
});

it('knows the key of a definition in a test', () => {
  expect(isTestPath('symbol:r1:pkg/test_a.py#Case.run/method')).toBe(true);
  expect(isTestPath('symbol:r1:pkg/a.py#test_run/function')).toBe(false);
});

it('a file of the product is source code outside of the folders of tools', () => {
  expect(isProductFile({ path: 'src/contest/latest.ts', fileClass: 'source' })).toBe(true);
  expect(isProductFile({ path: '.github/release.sh', fileClass: 'source' })).toBe(false);
  expect(isProductFile({ path: 'karma.conf.cjs', fileClass: 'source' })).toBe(false);
  expect(isProductFile({ path: 'src/config.ts', fileClass: 'source' })).toBe(true);
  expect(isProductFile({ path: 'docs/cli.md', fileClass: 'docs' })).toBe(false);
});

it('puts what lies in tests last, and keeps the order otherwise', () => {
  const places = ['test/a.ts', 'src/b.ts', 'src/a.test.ts', 'src/a.ts'].map((path) => ({ path }));
  expect(testsLast(places, ({ path }) => path).map(({ path }) => path)).toEqual([
    'src/b.ts',
    'src/a.ts',
    'test/a.ts',
    'src/a.test.ts',
  ]);
});
