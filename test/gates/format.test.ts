import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/run/planted-tree.ts';

describe('the format gate', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('format')).toMatchObject({ passed: true });
  });

  it.each([
    ['a line that is not formatted', 'export const one   =   1\n', 'format'],
    [
      'imports out of order',
      "import { b } from './b.ts';\nimport { a } from './a.ts';\n\nexport const both = [a, b];\n",
      'organizeImports',
    ],
  ])('fails on %s', async (_case, source, kind) => {
    const { passed, output } = await runOnPlanted('format', { 'src/foundation/kernel/planted.ts': source });
    expect(passed).toBe(false);
    expect(output).toContain('src/foundation/kernel/planted.ts');
    expect(output).toContain(kind);
  });
});
