import { describe, expect, it } from 'vitest';
import { readChallenges } from './www-authenticate.ts';

const read = (header: string) =>
  readChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('readChallenges', () => {
  it.each([
    ['Bearer', [['bearer', {}]]],
    ['bearer Scope="mcp api"', [['bearer', { scope: 'mcp api' }]]],
    ['Bearer a=1,b="2, Basic x=3"', [['bearer', { a: '1', b: '2, Basic x=3' }]]],
    [
      'Bearer error_description="a \\"quoted\\" word"',
      [['bearer', { error_description: 'a "quoted" word' }]],
    ],
    [
      'Basic realm="x", Bearer resource_metadata="https://c.example/m"',
      [
        ['basic', { realm: 'x' }],
        ['bearer', { resource_metadata: 'https://c.example/m' }],
      ],
    ],
    [
      'Negotiate YII=, Bearer scope = mcp',
      [
        ['negotiate', {}],
        ['yii', {}],
        ['bearer', { scope: 'mcp' }],
      ],
    ],
    ['', []],
    [', =,', []],
  ])('parses: %s', (header, challenges) => {
    expect(read(header)).toEqual(challenges);
  });
});
