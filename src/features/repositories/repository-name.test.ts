import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryNameOf } from '../../foundation/git/source/source-text.ts';
import { checkRepositoryName, isRepositoryName } from './repository-name.ts';

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

describe('the default name of a source', () => {
  it.each([
    ['/owner/app.git', 'owner/app'],
    ['My Project', 'My-Project'],
    ['.dotfiles', 'dotfiles'],
    ['größe', 'gr-e'],
    ['/a/../..b', 'a/b'],
    ['/...', 'repository'],
  ])('for %j is %j', (path, name) => {
    expect(checkRepositoryName(repositoryNameOf(path))).toBe(name);
  });

  it('is valid for any source', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (path) => {
        expect(isRepositoryName(repositoryNameOf(path))).toBe(true);
      }),
    );
  });
});
