import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/run/planted-tree.ts';

describe('the unused code gate', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('unused')).toMatchObject({ passed: true });
  });

  it.each([
    ['a file that nothing imports', { 'src/app/planted.ts': 'export const one = 1;\n' }, 'Unused files'],
    [
      'an export that nothing imports',
      { 'src/app/open/schema.ts': 'export const planted = 1;\nexport const pending = () => 0;\n' },
      'Unused exports',
    ],
    [
      'an exported type that nothing imports',
      { 'src/app/open/schema.ts': 'export type Planted = 1;\nexport const pending = () => 0;\n' },
      'Unused exported types',
    ],
    [
      'a package that the manifest does not name',
      {
        'src/app/open/schema.ts': "import planted from 'planted';\n\nexport const pending = planted;\n",
      },
      'Unlisted dependencies',
    ],
  ])('fails on %s', async (_case, planted, heading) => {
    const { passed, output } = await runOnPlanted('unused', planted);
    expect(passed).toBe(false);
    expect(output).toContain(heading);
    expect(output.toLowerCase()).toContain('planted');
  });
});

describe('the gate for code that only tests reach', () => {
  const files = (planted: string) => ({
    'src/app/open/schema.ts': `import { migrations } from '../../../migrations/index.ts';

${planted}
export const pending = () => migrations.length;
`,
    'src/app/open/schema.test.ts': "import { planted } from './schema.ts';\n\nvoid planted;\n",
  });

  it('passes the clean tree', async () => {
    expect(await runOnPlanted('shipped')).toMatchObject({ passed: true });
  });

  it('fails on an export that only a test imports, which the unused code gate passes', async () => {
    const tree = files('export const planted = 1;');
    expect(await runOnPlanted('unused', tree)).toMatchObject({ passed: true });
    const { passed, output } = await runOnPlanted('shipped', tree);
    expect(passed).toBe(false);
    expect(output).toContain('Unused exports');
    expect(output).toContain('planted');
  });

  it('passes an export that is marked with a reason', async () => {
    const tree = files('/** @internal For its test. */\nexport const planted = 1;');
    expect(await runOnPlanted('shipped', tree)).toMatchObject({ passed: true });
  });
});
