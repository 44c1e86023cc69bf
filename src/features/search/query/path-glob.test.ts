import { describe, expect, it } from 'vitest';
import { patternOfGlob } from './path-glob.ts';

const paths = [
  'a.py',
  'src/b.py',
  'src/deep/c.py',
  'app/src/d.py',
  'src/x',
  'src/deep/er/x',
  'web/[id].tsx',
  'web/i.ts',
  'a+b.ts',
];

describe('a glob of a path', () => {
  it.each([
    ['*.py', ['a.py', 'src/b.py', 'src/deep/c.py', 'app/src/d.py']],
    ['/*.py', ['a.py']],
    ['src/*.py', ['src/b.py', 'app/src/d.py']],
    ['/src/*.py', ['src/b.py']],
    ['src/**/*.py', ['src/b.py', 'src/deep/c.py', 'app/src/d.py']],
    ['src/**/x', ['src/x', 'src/deep/er/x']],
    ['**/x', ['src/x', 'src/deep/er/x']],
    ['src/**', ['src/b.py', 'src/deep/c.py', 'app/src/d.py', 'src/x', 'src/deep/er/x']],
    ['/src/**/**/x', ['src/x', 'src/deep/er/x']],
    ['?.py', ['a.py', 'src/b.py', 'src/deep/c.py', 'app/src/d.py']],
    ['{a,b}.py', ['a.py', 'src/b.py']],
    ['*.{ts,ts?}', ['web/[id].tsx', 'web/i.ts', 'a+b.ts']],
    ['[id].*', ['web/[id].tsx']],
    ['a+*', ['a+b.ts']],
    ['py*', []],
  ])('%s', (glob, expected) => {
    const pattern = new RegExp(patternOfGlob(glob, 0) ?? 'none', 'u');
    expect(paths.filter((path) => pattern.test(path))).toEqual(expected);
  });

  it.each(['src/main', '[id].tsx', 'a+b', '{id}.ts', 'a.b$c'])('is not %s', (text) => {
    expect(patternOfGlob(text, 0)).toBeUndefined();
  });
});
