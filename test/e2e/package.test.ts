import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../support/git/git-repository.ts';
import { oldNodes } from '../support/program/old-node.ts';
import type { Quickstart } from '../support/program/program.ts';
import { projectRoot, toolEnvironment } from '../support/run/gates.ts';
import { linkedPaths, readPages } from '../support/run/readme.ts';
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
});

describe('the tarball', () => {
  it('contains only the built program and its documents', async () => {
    const { stdout } = await inFolder('tar', '--list', '--file', tarball);
    const files = stdout.trim().split('\n').toSorted();
    const wanted = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    const entries = ['cli.js', 'orgctx.js', 'password-thread.js', 'search-thread.js'].map(
      (name) => `dist/${name}`,
    );
    for (const name of [...wanted, ...entries]) expect(files).toContain(`package/${name}`);
    const others = files.filter(
      (file) =>
        !/^package\/(dist\/[\w-]+\.js|dist\/api-reference\.js\.gz|dist\/grammars\/[\w-]+\.wasm|docs\/[\w-]+\.md|[A-Za-z]+\.(md|json)|LICENSE)$/.test(
          file,
        ),
    );
    expect(others).toEqual([]);
    const links = readPages().flatMap((page) => linkedPaths(page).map((path) => `package/${path}`));
    expect(links.filter((path) => !files.includes(path))).toEqual([]);
  });

  it('is small: it contains neither Node nor dependencies', () => {
    expect(statSync(tarball).size).toBeLessThan(5_500_000);
  });

  it('has a launcher that imports nothing before it has checked the Node version', () => {
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
  it('installs no Node', () => {
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

  it.each(oldNodes(folder))('refuses Node $version and says what to do', ({ version, command }) => {
    const [program, ...flags] = command;
    const args = [...flags, join(installed, 'dist/orgctx.js'), 'version'];
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`this is Node ${version}`);
    expect(stderr).toContain('nvm install 24');
  });
});

describe('the package when OpenTelemetry cannot be loaded', () => {
  beforeAll(() => {
    const scope = join(folder, 'node_modules/@opentelemetry');
    for (const name of readdirSync(scope)) {
      // Replaced instead of removed, because a parent folder could contain another copy.
      rmSync(join(scope, name), { recursive: true });
      mkdirSync(join(scope, name));
      writeFileSync(join(scope, name, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
      writeFileSync(join(scope, name, 'index.js'), `throw new Error('${name} was loaded');`);
    }
  });

  it('runs quickstart up to an answer', async () => {
    await inFolder('npx', '--no-install', 'orgctx', 'version');
    const source = createRepository({ 'src/round.ts': 'export const roundInvoice = Math.round;\n' });
    const flags = ['--ask', 'Where are invoices rounded?', '--exit', '--json', '--port', '0'];
    const args = ['quickstart', source.folder, ...flags, '--data-dir', join(folder, 'data')];
    const { stdout } = await inFolder('npx', '--no-install', 'orgctx', ...args);
    const { repository, answer } = JSON.parse(stdout) as Quickstart;
    expect(repository).toMatchObject({ state: 'indexed' });
    expect(answer?.citations[0]).toMatchObject({ path: 'src/round.ts' });
  });

  it('does not start when an endpoint is configured', async () => {
    const env = { ...toolEnvironment(), OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' };
    const args = ['--no-install', 'orgctx', 'serve', '--port', '0', '--data-dir', join(folder, 'data')];
    const refused = run('npx', args, { cwd: folder, env, timeout: 60_000 });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('@opentelemetry/') });
  });
});
