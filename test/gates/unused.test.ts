import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/planted-tree.ts';

describe('the gate of unused code', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('unused')).toMatchObject({ passed: true });
  });

  it.each([
    ['a file that nothing imports', { 'src/app/planted.ts': 'export const one = 1;\n' }, 'Unused files'],
    [
      'an export that nothing imports',
      { 'src/foundation/db/migrate.ts': 'export const planted = 1;\nexport const pending = () => 0;\n' },
      'Unused exports',
    ],
    [
      'an exported type that nothing imports',
      { 'src/foundation/db/migrate.ts': 'export type Planted = 1;\nexport const pending = () => 0;\n' },
      'Unused exported types',
    ],
    [
      'a package that the manifest does not name',
      {
        'src/foundation/db/migrate.ts': "import planted from 'planted';\n\nexport const pending = planted;\n",
      },
      'Unlisted dependencies',
    ],
  ])('fails on %s', async (_fault, planted, heading) => {
    const { passed, output } = await runOnPlanted('unused', planted);
    expect(passed).toBe(false);
    expect(output).toContain(heading);
    expect(output.toLowerCase()).toContain('planted');
  });
});
