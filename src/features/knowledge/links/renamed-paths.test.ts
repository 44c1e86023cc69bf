import { expect, it } from 'vitest';
import { RenamedPaths } from './commit-facts.ts';

function renamed(...made: readonly string[]): RenamedPaths {
  const paths = new RenamedPaths();
  for (const line of made) {
    const [path = '', from] = line.split(' < ');
    paths.add({ path, from });
  }
  return paths;
}

it('follows a file through all its paths', () => {
  const paths = renamed('a', 'b < a', 'c < b');
  expect(['a', 'b', 'c'].map((path) => paths.presentPath(path))).toEqual(['c', 'c', undefined]);
});

it('gives a path back to a file that took it again', () => {
  const back = renamed('a', 'b < a', 'a < b');
  expect(['a', 'b'].map((path) => back.presentPath(path))).toEqual([undefined, 'a']);
  const other = renamed('x', 'a < x', 'b < a', 'a', 'c < b');
  expect(['x', 'a', 'b'].map((path) => other.presentPath(path))).toEqual(['c', undefined, 'c']);
  const ended = renamed('a', 'b < a', 'b', 'c < b');
  expect(['a', 'b'].map((path) => ended.presentPath(path))).toEqual(['b', 'c']);
});

it('has the same hash for the same answers', () => {
  expect(renamed('a', 'b < a', 'd < c').hash()).toBe(renamed('d < c', 'b < a', 'e').hash());
  expect(renamed('b < a').hash()).not.toBe(renamed('c < a').hash());
});

it('follows 100,000 renames of one file', () => {
  const paths = renamed(...Array.from({ length: 100_000 }, (_, index) => `${index + 1} < ${index}`));
  expect(paths.presentPath('0')).toBe('100000');
});
