import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { oldNodes } from '../support/program/old-node.ts';
import { runGate } from '../support/run/gates.ts';
import { gateNamed, withPlantedTree } from '../support/run/planted-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const launcher = join(folder, 'dist/orgctx.js');

beforeAll(() =>
  withPlantedTree({}, async (tree) => {
    const built = await runGate(gateNamed('build'), tree);
    expect(built.passed, built.output).toBe(true);
    cpSync(join(tree, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(tree, 'package.json'), join(folder, 'package.json'));
  }),
);

function run([program, ...flags]: readonly [string, ...string[]], ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, [...flags, launcher, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the built launcher', () => {
  it('contains only the version check and one dynamic import of the program', () => {
    const source = readFileSync(launcher, 'utf8');
    expect(source).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(source).not.toMatch(/^\s*import\b(?!\()/m);
    expect(source.match(/\bimport\(/g)).toHaveLength(1);
    expect(source).not.toContain('stdout');
  });

  it('uses only ES2020 syntax, which every Node version in use can parse', () => {
    const source = readFileSync(launcher, 'utf8');
    const written = (target: 'es2020' | 'esnext') => transformSync(source, { jsc: { target } }).code;
    expect(written('es2020')).toBe(written('esnext'));
  });

  it('starts the program on this Node', () => {
    expect(run([process.execPath], 'hello')).toEqual({ status: 0, stdout: 'hello 0\n', stderr: '' });
  });

  it.each(oldNodes(folder))('refuses Node $version and says what to do', ({ version, command }) => {
    const { status, stdout, stderr } = run(command, 'hello');
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`needs Node 24.11 or newer; this is Node ${version}`);
    expect(stderr).toContain('https://nodejs.org/en/download');
  });

  it('says in one line that the program is missing', () => {
    rmSync(join(folder, 'dist/cli.js'));
    expect(run([process.execPath], 'hello')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: Files of orgctx are missing. Run `npm run build`, or install orgctx again.\n',
    });
  });
});
