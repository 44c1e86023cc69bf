import { describe, expect, it } from 'vitest';
import { runOnPlanted } from '../support/run/planted-tree.ts';

describe('the build gate', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('build')).toMatchObject({ passed: true });
  });

  it('fails on an import of a missing file', async () => {
    const { passed, output } = await runOnPlanted('build', {
      'src/cli/main.ts': "export { main } from './planted.ts';\n",
    });
    expect(passed).toBe(false);
    expect(output).toContain('./planted.ts');
  });
});

describe('the package gate', () => {
  it('passes the clean tree once built', async () => {
    expect(await runOnPlanted('package', {}, ['build'])).toMatchObject({ passed: true });
  });

  it('fails when the program that the manifest names is missing', async () => {
    const { passed, output } = await runOnPlanted('package');
    expect(passed).toBe(false);
    expect(output).toContain('dist/orgctx.js');
  });

  it('fails when the program has no shebang', async () => {
    const { passed, output } = await runOnPlanted('package', { 'dist/orgctx.js': 'process.exitCode = 0;\n' });
    expect(passed).toBe(false);
    expect(output).toContain('shebang');
  });
});
