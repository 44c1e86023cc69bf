import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRepository, type TestRepository } from '../support/git/git-repository.ts';
import {
  orgctx,
  type Quickstart,
  type RunningQuickstart,
  start,
  startQuickstart,
} from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const question = 'Where are invoices rounded?';
let source: TestRepository;
let commit: string;
let service: RunningQuickstart;

beforeAll(async () => {
  source = createRepository();
  commit = source.commit({
    'src/billing/round-invoice.ts':
      '/** Rounds the total of an invoice to whole cents, half up. */\nexport function roundInvoice(total: number): number {\n  return Math.round(total * 100) / 100;\n}\n',
    'src/mail/send-letter.ts': '/** Sends a letter. */\nexport function sendLetter(): void {}\n',
    'README.md': '# Shop\n\nSells things and writes invoices.\n',
  });
  service = await startQuickstart([source.folder, '--ask', question]);
});

afterAll(() => service?.stop());

describe('orgctx quickstart', () => {
  it('gives an answer that cites a file of the repository at its commit', () => {
    const { answer, repository, orgSlug } = service.result;
    expect(orgSlug).toBe('local');
    expect(repository).toMatchObject({ state: 'indexed', indexedCommit: commit, files: 3 });
    expect(answer?.citations[0]).toMatchObject({ path: 'src/billing/round-invoice.ts', commit, n: 1 });
    for (const { url } of answer?.citations ?? [])
      expect(url).toContain(`${service.result.baseUrl}/app/local/`);
    expect(answer?.answer).toContain('[1]');
  });

  it('prints one JSON value with the keys of the contract, and stays up', async () => {
    expect(Object.keys(service.result).toSorted()).toEqual(
      ['answer', 'apiKey', 'baseUrl', 'dataDir', 'mcpUrl', 'orgSlug', 'repository', 'signInUrl'].toSorted(),
    );
    expect(service.result.apiKey).toMatch(/^ock_/);
    const status = await fetch(`${service.result.baseUrl}/.status`);
    expect(await status.json()).toMatchObject({ status: 'ok' });
  });

  it('creates files that only its user can read', () => {
    const modeOf = (path: string): string =>
      (statSync(join(service.result.dataDir, path)).mode & 0o777).toString(8);
    expect([modeOf('.'), modeOf('auth-secret'), modeOf('orgctx.db')]).toEqual(['700', '600', '600']);
  });

  it('prints a sign-in link that opening does not consume', async () => {
    const page = await fetch(String(service.result.signInUrl));
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('reuses its data in a second run: no second key, the same repository, the new commit', async () => {
    const { dataDir, apiKey, repository } = service.result;
    await service.stop();
    const next = source.commit({ 'src/billing/tax.ts': '/** Adds the tax. */\nexport const tax = 0.19;\n' });
    service = await startQuickstart([source.folder], { dataDir });
    expect(service.result).toMatchObject({
      apiKey: null,
      repository: { id: repository.id, indexedCommit: next },
    });
    const search = await fetch(`${service.result.baseUrl}/local/api/v1/search?q=tax`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(((await search.json()) as { items: unknown[] }).items).toHaveLength(1);
  });

  it('adds another folder of the same name as another repository', async () => {
    const { dataDir, repository } = service.result;
    await service.stop();
    const twin = join(temporaryFolder(), basename(source.folder));
    renameSync(createRepository({ 'src/other.ts': 'export const totallyDifferent = 1;\n' }).folder, twin);
    service = await startQuickstart([twin, '--ask', 'x'.repeat(33_000)], { dataDir });
    expect(service.result.repository).toMatchObject({
      name: `${repository.name}-2`,
      state: 'indexed',
      files: 1,
    });
  });

  it('stays up after a question that fails, and says why before it says how to connect', async () => {
    const { result, output } = service;
    expect(result).toMatchObject({
      mcpUrl: expect.stringContaining('/mcp?orgSlug=local'),
      questionError: { code: 'validation_failed', message: expect.stringContaining('prompt') },
    });
    expect(output.stderr).toContain('warning: The question was not answered: ');
    expect((await fetch(`${result.baseUrl}/.status`)).status).toBe(200);
  });

  it('prints names without terminal control characters', async () => {
    const { dataDir } = service.result;
    await service.stop();
    source.commit({
      'src/mail/stamp\u001B[31m\u202E.ts': '/** Sticks a stamp on a letter. */\nexport const stamp = 1;\n',
    });
    const home = temporaryFolder();
    const { code, stdout } = await orgctx(
      ['quickstart', source.folder, '--ask', 'stamp letter', '--data-dir', dataDir, '--port', '0', '--exit'],
      { timeoutMs: 120_000, env: { HOME: home } },
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\[1\] \S+\/src\/mail\/stamp\[31m\.ts:1-2$/m)]);
    for (const hidden of ['\u001B', '\u202E']) expect(stdout).not.toContain(hidden);
    // Nothing keeps running, so nothing is stored for other terminals.
    expect(stdout).not.toContain('second terminal');
    expect(existsSync(join(home, '.config', 'orgctx'))).toBe(false);
  });

  it('with --exit stops everything, --new-key makes another key, and its JSON escapes hidden characters', async () => {
    const { dataDir } = service.result;
    await service.stop();
    const flags = [
      '--ask',
      'stamp letter',
      '--data-dir',
      dataDir,
      '--port',
      '0',
      '--exit',
      '--new-key',
      '--json',
    ];
    const { code, stdout } = await orgctx(['quickstart', source.folder, ...flags], { timeoutMs: 120_000 });
    const result = JSON.parse(stdout) as Quickstart;
    expect(stdout).not.toContain('\u202E');
    expect(result.answer?.citations.map(({ path }) => path)).toContain('src/mail/stamp\u001B[31m\u202E.ts');
    expect([code, result.apiKey]).toEqual([0, expect.stringMatching(/^ock_/)]);
    await expect(fetch(`${result.baseUrl}/.status`)).rejects.toThrow();
  });
});

describe('a running quickstart', () => {
  it('fails when its server ends unexpectedly, and says so', async () => {
    const dataDir = temporaryFolder();
    const running = await startQuickstart([source.folder], { dataDir });
    const exited = once(running.process, 'exit');
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    expect(await exited).toEqual([1, null]);
    await expect.poll(() => running.output.stderr).toMatch(/orgctx serve ended unexpectedly\..*serve\.log/);
  });

  it('names the former data folder of other terminals, and says when it stopped', async () => {
    const [HOME, first, second] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const one = await startQuickstart([source.folder], { dataDir: first, env: { HOME } });
    expect(await one.stop()).toBe(0);
    expect(one.output.stderr).not.toContain('Commands in other terminals');
    await expect.poll(() => one.output.stderr).toMatch(/\nStopped\.\n$/);
    const two = await startQuickstart([source.folder], { dataDir: second, env: { HOME } });
    await two.stop();
    await expect
      .poll(() => two.output.stderr)
      .toContain(`Commands in other terminals now use this data folder (before: ${first}).`);
  });
});

describe('a quickstart that is killed while it starts', () => {
  it.each([300, 900])('after %i ms leaves no process behind', async (milliseconds) => {
    const dataDir = temporaryFolder();
    const running = start(['quickstart', source.folder, '--port', '0', '--data-dir', dataDir]);
    await sleep(milliseconds);
    await running.stop('SIGKILL');
    await vi.waitFor(() => expect(processesWith(dataDir)).toEqual([]), { timeout: 120_000, interval: 200 });
  });

  /** Returns the command lines of running processes that name the folder. */
  function processesWith(folder: string): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
        } catch {
          return [];
        }
      })
      .filter((line) => line.includes(folder));
  }
});

describe('quickstart or serve with invalid input', () => {
  const run = (args: readonly string[], env = {}) =>
    orgctx(['quickstart', ...args, '--json', '--exit', '--port', '0'], { env, timeoutMs: 60_000 });

  it('a folder that is not a repository: exit 2 and what to do', async () => {
    const { code, stderr, stdout } = await run([temporaryFolder(), '--data-dir', temporaryFolder()]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/not a Git repository.*git init/);
  });

  it('a source with credentials: refused without printing them', async () => {
    const { code, stderr } = await run([
      'https://me:hush-hush@git.example/x.git',
      '--data-dir',
      temporaryFolder(),
    ]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('hush-hush');
  });

  it('a repository without a commit: exit 1 with the recorded error, and the key is not lost', async () => {
    const dataDir = temporaryFolder();
    const empty = createRepository();
    const { code, stderr } = await run([empty.folder, '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no commit.*orgctx repo remove /i);
    empty.commit({ 'README.md': '# Begun\n' });
    const { stdout } = await run([empty.folder, '--data-dir', dataDir]);
    expect((JSON.parse(stdout) as Quickstart).apiKey).toMatch(/^ock_/);
  });

  it('a port in use: exit 1, naming the port and --port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await orgctx(['serve', '--port', String(port), '--data-dir', temporaryFolder()]);
    taken.close();
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`${port}.*--port`))]);
  });

  it('a port in use under npm start: the command that chooses another one', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const dataDir = join(temporaryFolder(), 'data');
    const { code, stderr } = await orgctx(
      ['quickstart', source.folder, '--port', String(port), '--data-dir', dataDir],
      { env: { npm_lifecycle_event: 'start' } },
    );
    taken.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('npm start -- --port 3100')]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('wrong settings: exit 3 with all their names and no value', async () => {
    const env = { PORT: '70000', LOG_LEVEL: 'loud-value', AUTH_BASE_URL: 'ftp://value.example' };
    const { code, stderr } = await orgctx(['serve', '--data-dir', temporaryFolder()], { env });
    expect(code).toBe(3);
    for (const name of Object.keys(env)) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/70000|loud-value|value\.example/);
  });

  it('an unknown setting in the file: exit 3 with a suggestion', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'orgctx.yaml'), 'AUTH_BASE_ULR: https://x.example\n');
    const { code, stderr } = await orgctx(['serve', '--data-dir', folder], { cwd: folder });
    expect([code, stderr]).toEqual([3, expect.stringContaining('AUTH_BASE_URL')]);
  });

  it('a data folder that is a file: exit 3, naming DATA_DIR or the path', async () => {
    const file = join(temporaryFolder(), 'not-a-folder');
    writeFileSync(file, '');
    const { code, stderr } = await orgctx(['serve', '--port', '0', '--data-dir', file]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/DATA_DIR|not-a-folder/)]);
  });

  it('an invalid database file: an error that names the file', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const garbage = randomBytes(4096);
    writeFileSync(join(folder, 'orgctx.db'), garbage);
    const { code, stderr } = await orgctx(['serve', '--port', '0', '--data-dir', folder]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('orgctx.db');
  });
});
