import { describe, expect, it } from 'vitest';
import { checkRepositoryName, nameFromSource } from './repository-name.ts';

describe('checkRepositoryName', () => {
  it.each(['a', 'owner/app', 'group/sub/app', '_x', 'A.b-c_9', 'owner/.github', 'x'.repeat(100)])(
    'takes %j',
    (name) => {
      expect(checkRepositoryName(name)).toBe(name);
    },
  );

  it.each([
    '',
    '/',
    'a/',
    '/a',
    'a//b',
    '..',
    'a/..',
    '../a',
    'a/./b',
    '-a',
    'a b',
    'a\n',
    'ä',
    'a\u0000',
    'a?b',
    'a#b',
    'a%2fb',
    'x'.repeat(101),
    'a/b/c/d/e/f',
  ])('refuses %j and names the rule', (name) => {
    expect(() => checkRepositoryName(name)).toThrow(/The repository name must be 1 to 100 characters/);
  });
});

describe('nameFromSource', () => {
  it.each([
    ['owner/app', 'owner/app'],
    ['My Project', 'My-Project'],
    ['.dotfiles', 'dotfiles'],
    ['größe', 'gr-e'],
  ])('makes of %j the name %j', (source, name) => {
    expect(nameFromSource(source)).toBe(name);
  });
});
