import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/run/planted-tree.ts';

const place = 'src/foundation/kernel/planted.ts';

describe('the types gate', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('types')).toMatchObject({ passed: true, output: '' });
  });

  it.each([
    ['a wrong type', "export const count: number = 'one';", 'TS2322'],
    ['an unchecked index', 'export const first = (all: string[]): string => all[0];', 'TS2322'],
    ['an enum', 'export enum Side {\n  left,\n}', 'TS1294'],
    ['undefined for an optional property', 'export const o: { a?: string } = { a: undefined };', 'TS2375'],
    [
      'a value import of a type',
      "import { Database } from '../db/types.ts';\nexport type D = Database;",
      'TS1484',
    ],
  ])('fails on %s', async (_case, source, error) => {
    const types = { 'src/foundation/db/types.ts': 'export interface Database {\n  url: string;\n}\n' };
    const result = await runOnPlanted('types', { ...types, [place]: `${source}\n` });
    expect(result.passed).toBe(false);
    expect(result.output).toContain(place);
    expect(result.output).toContain(error);
  });
});
