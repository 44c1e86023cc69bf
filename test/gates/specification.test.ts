import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/run/gates.ts';
import { checkSpecificationMap, type TestTree } from '../support/run/specification.ts';

const project: TestTree = {
  readFile: (path) => {
    try {
      return readFileSync(join(projectRoot, path), 'utf8');
    } catch {
      return undefined;
    }
  },
  listFolder: (path) => readdirSync(join(projectRoot, path)),
};

describe('the map of the specification', () => {
  it('names existing tests or a planned item for every row, and has every row', () => {
    expect(checkSpecificationMap(project.readFile('test/specification.md') ?? '', project)).toEqual([]);
  });
});

describe('the specification map gate', () => {
  const files: Readonly<Record<string, string>> = {
    'test/a.test.ts': `import './suite.ts';
      describe('a door', () => {
        it('opens', () => {});
        it.each([['wood', 1], ['steel', 2]])('of %s burns %i times', () => {});
        it.skip('is painted', () => {});
        it.todo('rings');
      });
      describeEachDatabase('a lock', () => {
        it(\`holds \${many} keys\`, () => {});
        itWhen(night)('is shut', () => {});
      });`,
    'test/suite.ts': `export function describeDoor(name) { describe(\`\${name}: a door\`, () => { it('shuts', () => {}); }); }`,
    'test/unused.ts': `describe('a door', () => { it('opens', () => {}); });`,
  };
  const planted: TestTree = { readFile: (path) => files[path], listFolder: () => ['a.test.ts', 'suite.ts'] };

  function map(proof: string, count = 1): string {
    return `# Map

| section | rows |
| --- | --- |
| Doors | ${count} |

## Doors

| line | what it says | test or what brings it |
| --- | --- | --- |
| D1 | a door opens | ${proof} |
`;
  }

  it.each([
    '`test/a.test.ts`: a door › opens',
    '`test/a.test.ts`: a door › of steel burns 2 times',
    '`test/a.test.ts`: a door › of %s burns %i times',
    '`test/a.test.ts`: a lock › holds ${} keys',
    '`test/a.test.ts`: a lock › is shut',
    '`test/suite.ts`: ${}: a door › shuts',
    'comes with: durable core',
    '`test/a.test.ts`: a door › opens<br>comes with: oncall',
  ])('passes %s', (proof) => {
    expect(checkSpecificationMap(map(proof), planted)).toEqual([]);
  });

  it.each([
    ['`test/gone.test.ts`: a door › opens', 'there is no file test/gone.test.ts'],
    ['`test/a.test.ts`: a door › slams', 'has no test "a door › slams"'],
    ['`test/a.test.ts`: opens', 'has no test "opens"'],
    ['`test/a.test.ts`: a door › of straw burns 2 times', 'has no test'],
    ['`test/a.test.ts`: a door › is painted', 'has no test "a door › is painted"'],
    ['`test/a.test.ts`: a door › rings', 'has no test "a door › rings"'],
    ['`test/a.test.ts`: a door › opens<br>`test/a.test.ts`: a door › slams', 'has no test "a door › slams"'],
    [
      '`test/unused.ts`: a door › opens',
      'test/unused.ts is not a test file, and no test file beside it imports it',
    ],
    ['', 'has neither a test nor a planned item'],
    ['later', 'names neither a test nor a planned item'],
    ['comes with: luck', '"luck" is not an item of the road map'],
  ])('fails on the proof %j', (proof, error) => {
    expect(checkSpecificationMap(map(proof), planted)).toEqual([expect.stringContaining(error)]);
  });

  it('fails when a row of a section is missing, or the head does not list the section', () => {
    const proof = 'comes with: oncall';
    expect(checkSpecificationMap(map(proof, 2), planted)).toEqual(['"Doors" has 1 rows of 2']);
    expect(checkSpecificationMap(map(proof).replace('| Doors |', '| Gates |'), planted)).toEqual([
      '"Gates" has 0 rows of 1',
      'the head does not give the number of rows of "Doors"',
    ]);
  });

  it('fails on duplicate row names, a row without text, and a map without rows', () => {
    const row = '| D1 | a door opens | comes with: oncall |\n';
    expect(checkSpecificationMap(map('comes with: oncall') + row, planted)).toEqual(['D1: occurs twice']);
    const silent = map('comes with: oncall').replace('a door opens', '');
    expect(checkSpecificationMap(silent, planted)).toEqual(['D1: has no text']);
    expect(checkSpecificationMap('', planted)).toEqual(['the map has no rows']);
  });
});
