import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/planted-tree.ts';

describe('the gate of the format', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('format')).toMatchObject({ passed: true });
  });

  it.each([
    ['a line that the formatter would write otherwise', 'export const one   =   1\n', 'format'],
    [
      'imports out of order',
      "import { b } from './b.ts';\nimport { a } from './a.ts';\n\nexport const both = [a, b];\n",
      'organizeImports',
    ],
  ])('fails on %s', async (_fault, source, kind) => {
    const { passed, output } = await runOnPlanted('format', { 'src/foundation/kernel/planted.ts': source });
    expect(passed).toBe(false);
    expect(output).toContain('src/foundation/kernel/planted.ts');
    expect(output).toContain(kind);
  });
});
