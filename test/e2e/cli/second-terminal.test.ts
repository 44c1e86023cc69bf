import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { orgctx, start } from '../../support/program/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const question = 'Where are invoices rounded?';
const HOME = temporaryFolder();
const dataDir = join(temporaryFolder(), 'data');
let source: TestRepository;
let quickstart: ReturnType<typeof start>;
let printed: string;

/** Runs a command of a second terminal: the same account, but no flag or variable that names the service. */
const second = (...args: readonly string[]) => orgctx(args, { env: { HOME } });
const startAgain = (env: Readonly<Record<string, string>> = {}) =>
  start(['quickstart', source.folder, '--port', '0', '--data-dir', dataDir, '--ask', question], {
    env: { HOME, ...env },
  });
const shown = () => quickstart.line((text) => text.includes('admin link'), 120_000);
const baseUrlIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';

beforeAll(async () => {
  source = createRepository({
    'src/round-invoice.ts':
      '/** Rounds the total of an invoice to whole cents. */\nexport const roundInvoice = Math.round;\n',
  });
  quickstart = startAgain();
  printed = await shown();
});

afterAll(() => quickstart?.stop());

describe('a second terminal after quickstart', () => {
  it('runs the commands that quickstart printed last', async () => {
    const commands = printed.trimEnd().split('\n').slice(-3);
    expect(commands).toEqual([
      `  orgctx ask "${question}"`,
      '  orgctx repo add https://git.example.com/team/service.git --wait',
      '  orgctx admin link --email owner@localhost',
    ]);
    const answer = await second('ask', question);
    expect([answer.code, answer.stdout]).toEqual([0, expect.stringContaining('src/round-invoice.ts:1-')]);
    const link = await second('admin', 'link', '--email', 'owner@localhost');
    expect(baseUrlIn(link.stdout)).toBe(baseUrlIn(printed));
    expect((await fetch(link.stdout.trim())).status).toBe(200);
  });

  it('is signed in as the owner, in the organization of quickstart', async () => {
    const { stdout } = await second('whoami', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      user: { email: 'owner@localhost' },
      organization: { slug: 'local' },
    });
    const file = join(HOME, '.config', 'orgctx', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await second('repo', 'list', '--json')).stdout).toContain('indexed');
    expect((await second('jobs', 'list', '--json')).code).toBe(0);
  });

  it('prints the whole command of doctor mcp for this host if the address is missing', async () => {
    const { code, stderr } = await second('doctor', 'mcp');
    const command = `orgctx doctor mcp --url ${baseUrlIn(printed)}/mcp`;
    expect([code, stderr]).toEqual([2, expect.stringContaining(command)]);
  });

  it('fits a screen of 40 lines of 80 columns', () => {
    const rows = printed.trimEnd().split('\n');
    expect(rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / 80)), 0)).toBeLessThan(40);
    expect(printed.match(/owner@localhost/g)).toHaveLength(2);
  });

  it.each(['quickstart', 'serve'])('%s says where the data folder is in use already', async (command) => {
    const args = command === 'quickstart' ? [command, source.folder] : [command];
    const { code, stderr } = await second(...args, '--port', '0', '--data-dir', dataDir);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${baseUrlIn(printed)} (pid `)]);
    expect(stderr).toContain('--data-dir');
  });

  it('follows a restart at another port after a kill; under npx it is told to type npx', async () => {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await quickstart.stop('SIGKILL');
    quickstart = startAgain({ npm_command: 'exec' });
    printed = await shown();
    expect(printed).toContain('second terminal in this folder');
    expect(printed.trimEnd().split('\n').at(-1)).toBe('  npx orgctx admin link --email owner@localhost');
    expect((await second('whoami')).stdout).toContain(baseUrlIn(printed));
    const credentials = readFileSync(join(HOME, '.config', 'orgctx', 'credentials.json'), 'utf8');
    expect(Object.keys(JSON.parse(credentials).logins)).toEqual([baseUrlIn(printed)]);
  });

  it('warns and goes on if the sign-in cannot be stored', async () => {
    await quickstart.stop();
    const home = temporaryFolder();
    writeFileSync(join(home, '.config'), '');
    quickstart = startAgain({ HOME: home });
    await shown();
    expect(quickstart.output.stderr).toMatch(/warning: You are not signed in here: .*orgctx login --url/);
  });
});
