import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot, toolEnvironment } from '../support/gates.ts';
import { oldNodes } from '../support/old-node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const installed = join(folder, 'node_modules/orgctx');
let tarball: string;

function inFolder(command: string, ...args: string[]) {
  return run(command, args, { cwd: folder, env: toolEnvironment(), timeout: 120_000 });
}

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: projectRoot, env: toolEnvironment() });
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  expect(packed).toBeDefined();
  tarball = join(folder, packed ?? '');
  await inFolder('npm', 'init', '--yes');
  await inFolder(
    'npm',
    'install',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    tarball,
  );
}, 180_000);

describe('the tarball', () => {
  it('carries the built program and its papers, nothing else', async () => {
    const { stdout } = await inFolder('tar', '--list', '--file', tarball);
    const files = stdout.trim().split('\n').toSorted();
    const wanted = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    const entries = ['cli.js', 'orgctx.js', 'search-thread.js'].map((name) => `dist/${name}`);
    for (const name of [...wanted, ...entries]) expect(files).toContain(`package/${name}`);
    const others = files.filter(
      (file) => !/^package\/(dist\/[\w-]+\.js|[A-Za-z]+\.(md|json)|LICENSE)$/.test(file),
    );
    expect(others).toEqual([]);
  });

  it('is small: no Node and no dependency lies in it', () => {
    expect(statSync(tarball).size).toBeLessThan(3_000_000);
  });

  it('has a launcher that stands alone until it has looked at the Node version', () => {
    const launcher = readFileSync(join(installed, 'dist/orgctx.js'), 'utf8');
    expect(launcher).not.toMatch(/^\s*import\b(?!\()/m);
    expect(launcher).toContain('import("./cli.js")');
  });

  it('depends on no Node package and runs nothing when it is installed', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const { dependencies, optionalDependencies = {}, peerDependencies = {}, scripts = {} } = manifest;
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect(names).toContain('better-sqlite3');
    expect(names.filter((name) => /^node(-(bin|linux|darwin|win)\b.*)?$/.test(name))).toEqual([]);
    const lifecycle = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(scripts).filter((name) => lifecycle.includes(name))).toEqual([]);
  });
});

describe('the package, installed in an empty folder with scripts off', () => {
  it('brings no Node along', () => {
    expect(existsSync(join(folder, 'node_modules/better-sqlite3'))).toBe(true);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('node-linux'))).toEqual(
      [],
    );
  });

  it('runs as `npx orgctx`', async () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    const { stdout } = await inFolder('npx', '--no-install', 'orgctx', 'version');
    expect(stdout).toContain(version);
  });

  it.each(oldNodes(folder))('refuses Node $version and names the fix', ({ version, command }) => {
    const [program, ...flags] = command;
    const args = [...flags, join(installed, 'dist/orgctx.js'), 'version'];
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`this is Node ${version}`);
    expect(stderr).toContain('nvm install 24');
  });
});
