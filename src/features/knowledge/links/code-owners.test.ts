import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { parseCodeOwners } from './code-owners.ts';

describe('a CODEOWNERS file', () => {
  it('gives a file the owners of the last pattern that matches', () => {
    const find = parseCodeOwners(
      [
        '* @all',
        '*.js @js # a comment',
        '/build/ @ops',
        'docs/* docs@example.com',
        'apps/ @acme/apps',
        '/scripts/**/deploy.sh @deploy',
        '/apps/github',
        'with\\ space.txt @space',
        'a*z?.c @c',
      ].join('\n'),
    );
    const owners = (path: string) =>
      find(path)
        ?.flatMap((rule) => rule.owners)
        .join(' ');
    expect(owners('readme.md')).toBe('@all');
    expect(owners('x/y.js')).toBe('@js');
    expect(owners('build/logs/a')).toBe('@ops');
    expect(owners('x/build/a')).toBe('@all');
    expect(owners('docs/a.md')).toBe('docs@example.com');
    expect(owners('docs/b/a.md')).toBe('@all');
    expect(owners('x/apps/y/z')).toBe('@acme/apps');
    expect(owners('apps/github/z')).toBe('');
    expect(owners('scripts/a/b/deploy.sh')).toBe('@deploy');
    expect(owners('scripts/deploy.sh')).toBe('@deploy');
    expect(owners('with space.txt')).toBe('@space');
    expect(owners('x/abczd.c')).toBe('@c');
  });

  const ownersOf = (lines: readonly string[], path: string) =>
    parseCodeOwners(lines.join('\n'))(path)?.map(({ owners }) => owners.join(' '));

  it('with line ends of Windows names the same owners', () => {
    const lines = ['# owners: @ada\r', '\r', '* @all\r', '/src/ @src # ask @ada\r', '/src/open\r'];
    expect(ownersOf(lines, 'a.ts')).toEqual(['@all']);
    expect(ownersOf(lines, 'src/a.ts')).toEqual(['@src']);
    expect(ownersOf(lines, 'src/open')).toEqual(['']);
  });

  it.each([
    [String.raw`with\ two\ blanks.txt`, 'with two blanks.txt'],
    [String.raw`\#sharp.rb`, '#sharp.rb'],
    [String.raw`a\*b`, 'a*b'],
    [String.raw`/a\?/`, 'a?/b'],
    [String.raw`\\ab`, String.raw`\ab`],
    [String.raw`\!loud`, '!loud'],
    [String.raw`end\ `, 'end '],
    ['a#b', 'a#b'],
    ['[ab].txt', '[ab].txt'],
  ])('reads the escapes of the pattern %j', (pattern, path) => {
    expect(ownersOf([`${pattern}\t@x`], path)).toEqual(['@x']);
    expect(ownersOf([`${pattern}\t@x`], 'axb')).toEqual([]);
  });

  it('gives a file the owners of each section of GitLab', () => {
    const lines = [
      '* @all',
      '[Database] @dba @dbb',
      'model/',
      'model/users @users',
      '^[Optional Docs][2] @docs # may approve',
      '*.md',
      '[DATABASE] @other',
      'queries/',
      '[Roles][1]',
      '*.md @@developer @ada',
    ];
    expect(ownersOf(lines, 'a.c')).toEqual(['@all']);
    expect(ownersOf(lines, 'model/a')).toEqual(['@all', '@dba @dbb']);
    expect(ownersOf(lines, 'model/users/a.md')).toEqual(['@all', '@users', '@docs', '@ada']);
    expect(ownersOf(lines, 'queries/a')).toEqual(['@all', '@other']);
  });

  it('leaves out the exclusions that GitHub does not support', () => {
    expect(ownersOf(['* @all', '!*.md @docs'], 'a.md')).toEqual(['@all']);
  });

  it.each([
    ['comments', `*${' #'.repeat(50_000)}\r`],
    ['blanks', `* @all${' '.repeat(100_000)}!\r`],
    ['brackets', `${'[a'.repeat(50_000)}\r`],
    ['escapes', `${String.raw`\ `.repeat(50_000)}\r`],
    ['wildcards', `${'*'.repeat(100_000)}!\u2028`],
  ])('reads a line of 100,000 characters with %s in little time', (_name, line) => {
    const processorMs = measureProcessor();
    parseCodeOwners(`${line}\n`.repeat(10))('a/b.md');
    expect(processorMs()).toBeLessThan(1_000);
  });

  it('of 20,000 lines is searched for 20,000 paths', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `/folder${index}/ @owner${index}`);
    const find = parseCodeOwners(lines.join('\n'));
    const found = lines.filter(
      (_, index) => find(`folder${index}/a/b.ts`)?.[0]?.owners[0] === `@owner${index}`,
    );
    expect(found).toHaveLength(20_000);
  });

  it.each([
    ['rules', Array.from({ length: 60_000 }, (_, index) => `*x${index}* @x`)],
    ['sections', Array.from({ length: 200 }, (_, index) => `[S${index}]\n* @x`)],
  ])('with too many %s has unknown owners, because those left out could decide', (_name, lines) => {
    expect(parseCodeOwners(['* @all', ...lines].join('\n'))('a.c')).toBeUndefined();
  });

  it('with hostile wildcards owns no path that they do not match', () => {
    const find = parseCodeOwners(`${'*a'.repeat(500)}b @x\n${'**/'.repeat(200)}x @y`);
    const processorMs = measureProcessor();
    for (let index = 0; index < 100; index++) {
      find('a'.repeat(1_000));
      find('a/'.repeat(400));
    }
    expect(processorMs()).toBeLessThan(1_000);
  });

  it('with thousands of wildcards is searched from its end, for a limited number of steps', () => {
    const first = '*first* @first\n';
    const usual = Array.from({ length: 2_000 }, (_, index) => `/src/**/part${index}*.go @late\n`).join('');
    const found = parseCodeOwners(first + usual)('src/deep/folder/of/first_part.go');
    expect(found).toEqual([{ pattern: '*first*', owners: ['@first'] }]);
    const hostile = Array.from({ length: 2_000 }, (_, index) => `${'*a'.repeat(20)}${index}a @late\n`).join(
      '',
    );
    expect(parseCodeOwners(first + hostile)(`first${'a'.repeat(1_000)}`)).toBeUndefined();
  });

  it.each([
    [
      'patterns of folders',
      Array.from({ length: 5_000 }, (_, index) => `/**/a/**/a/**/a/**/b${index}/* @o`),
      (index: number) => `${'a/'.repeat(20)}${index}.ts`,
    ],
    [
      'sections',
      Array.from({ length: 100 }, (_, index) => `[${index}]\n/x/y @o`),
      (index: number) => `${'a/'.repeat(1_900)}${index}`,
    ],
    ['names in a path', ['/x/y @o'], (index: number) => `${'a/'.repeat(1_900)}${index}`],
  ])('with many %s does not give the owners of paths that take long', (_name, lines, pathOf) => {
    const find = parseCodeOwners(lines.join('\n'));
    const processorMs = measureProcessor();
    for (let index = 0; index < 200; index++) expect(find(pathOf(index))).toBeUndefined();
    expect(processorMs()).toBeLessThan(1_000);
  });

  it('is searched for a limited number of steps in total', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `/src/**/part${index}*.go @late\n`).join('');
    const find = parseCodeOwners(`* @all\n${lines}`, 10_000);
    const found = Array.from({ length: 100 }, (_, index) => find(`src/a/${index}.go`));
    expect(found[0]).toEqual([{ pattern: '*', owners: ['@all'] }]);
    expect(found.at(-1)).toBeUndefined();
    expect(parseCodeOwners('* @all', 0)('a.md')).toBeUndefined();
  });
});
