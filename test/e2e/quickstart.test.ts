import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRepository, type TestRepository } from '../support/git-repository.ts';
import {
  orgctx,
  type Quickstart,
  type RunningQuickstart,
  start,
  startQuickstart,
} from '../support/program.ts';
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
  it('goes from nothing to an answer that cites a file of the repository at its commit', () => {
    const { answer, repository, orgSlug } = service.result;
    expect(orgSlug).toBe('local');
    expect(repository).toMatchObject({ state: 'indexed', indexedCommit: commit, files: 3 });
    expect(answer?.citations[0]).toMatchObject({ path: 'src/billing/round-invoice.ts', commit, n: 1 });
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

  it('keeps what it makes to the account that runs it', () => {
    const modeOf = (path: string): string =>
      (statSync(join(service.result.dataDir, path)).mode & 0o777).toString(8);
    expect([modeOf('.'), modeOf('auth-secret'), modeOf('orgctx.db')]).toEqual(['700', '600', '600']);
  });

  it('gives a link that says what it is, without using it up', async () => {
    const page = await fetch(String(service.result.signInUrl));
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('run again on its data uses all of it: no second key, the same repository, the new commit', async () => {
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

  it('takes another folder of the same name for what it is: another repository', async () => {
    const { dataDir, repository } = service.result;
    await service.stop();
    const twin = join(temporaryFolder(), basename(source.folder));
    renameSync(createRepository({ 'src/other.ts': 'export const totallyDifferent = 1;\n' }).folder, twin);
    service = await startQuickstart([twin], { dataDir });
    expect(service.result.repository).toMatchObject({
      name: `${repository.name}-2`,
      state: 'indexed',
      files: 1,
    });
  });

  it('in words shows names of the repository without what would move or recolour a terminal', async () => {
    const { dataDir } = service.result;
    await service.stop();
    source.commit({
      'src/mail/stamp\u001B[31m.ts': '/** Sticks a stamp on a letter. */\nexport const stamp = 1;\n',
    });
    const { code, stdout } = await orgctx(
      ['quickstart', source.folder, '--ask', 'stamp letter', '--data-dir', dataDir, '--port', '0', '--exit'],
      { timeoutMs: 120_000 },
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('/src/mail/stamp[31m.ts:1-')]);
    expect(stdout).not.toContain('\u001B');
  });

  it('with --exit stops everything, and --new-key makes another key', async () => {
    const { dataDir } = service.result;
    await service.stop();
    const { code, stdout } = await orgctx(
      ['quickstart', source.folder, '--data-dir', dataDir, '--port', '0', '--exit', '--new-key', '--json'],
      { timeoutMs: 120_000 },
    );
    const result = JSON.parse(stdout) as Quickstart;
    expect([code, result.apiKey]).toEqual([0, expect.stringMatching(/^ock_/)]);
    await expect(fetch(`${result.baseUrl}/.status`)).rejects.toThrow();
  });
});

describe('a quickstart that is killed while it starts', () => {
  it.each([300, 600, 900, 1_200])('after %i ms leaves no process behind', async (milliseconds) => {
    const dataDir = temporaryFolder();
    const running = start(['quickstart', source.folder, '--port', '0', '--data-dir', dataDir]);
    await sleep(milliseconds);
    await running.stop('SIGKILL');
    await vi.waitFor(() => expect(processesWith(dataDir)).toEqual([]), { timeout: 20_000, interval: 200 });
  });

  /** Command lines of living processes that name the folder. */
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

describe('quickstart meets what it cannot work with', () => {
  const run = (args: readonly string[], env = {}) =>
    orgctx(['quickstart', ...args, '--json', '--exit', '--port', '0'], { env, timeoutMs: 60_000 });

  it('a folder that is no repository: exit 2 and how to go on', async () => {
    const { code, stderr, stdout } = await run([temporaryFolder(), '--data-dir', temporaryFolder()]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/no Git repository.*git init/);
  });

  it('a source that carries credentials: refused without repeating them', async () => {
    const { code, stderr } = await run([
      'https://me:hush-hush@git.example/x.git',
      '--data-dir',
      temporaryFolder(),
    ]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('hush-hush');
  });

  it('a repository without a commit: exit 1 with what the record says, and the key is not lost', async () => {
    const dataDir = temporaryFolder();
    const empty = createRepository();
    const { code, stderr } = await run([empty.folder, '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no commit/i);
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

  it('settings that are wrong: exit 3 with all of them by name and no value', async () => {
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

  it('a data folder that is a file: exit 3 naming DATA_DIR or the path', async () => {
    const file = join(temporaryFolder(), 'not-a-folder');
    writeFileSync(file, '');
    const { code, stderr } = await orgctx(['serve', '--port', '0', '--data-dir', file]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/DATA_DIR|not-a-folder/)]);
  });

  it('a database that is no database: an error that names the file, nothing overwritten', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const garbage = randomBytes(4096);
    writeFileSync(join(folder, 'orgctx.db'), garbage);
    const { code, stderr } = await orgctx(['serve', '--port', '0', '--data-dir', folder]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('orgctx.db');
  });
});
