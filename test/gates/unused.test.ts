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

describe('the gate of code that only tests reach', () => {
  const files = (planted: string) => ({
    'src/foundation/db/migrate.ts': `import { migrations } from '../../../migrations/index.ts';

${planted}
export const pending = () => migrations.length;
`,
    'src/foundation/db/migrate.test.ts': "import { planted } from './migrate.ts';\n\nvoid planted;\n",
  });

  it('passes the clean tree', async () => {
    expect(await runOnPlanted('shipped')).toMatchObject({ passed: true });
  });

  it('fails on an export that only a test imports, which the gate of unused code lets pass', async () => {
    const tree = files('export const planted = 1;');
    expect(await runOnPlanted('unused', tree)).toMatchObject({ passed: true });
    const { passed, output } = await runOnPlanted('shipped', tree);
    expect(passed).toBe(false);
    expect(output).toContain('Unused exports');
    expect(output).toContain('planted');
  });

  it('lets pass what is marked with a reason', async () => {
    const tree = files('/** @internal For its test. */\nexport const planted = 1;');
    expect(await runOnPlanted('shipped', tree)).toMatchObject({ passed: true });
  });
});
