import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { rememberedHost, rememberHost } from './remembered-host.ts';

/** The second terminal of a person who ran `quickstart --data-dir … --port 3100`; the server runs at port 3200. */
async function secondTerminal() {
  const [home, dataDir] = [temporaryFolder(), temporaryFolder()];
  const env = { XDG_CONFIG_HOME: home };
  await rememberHost({ env, homeDir: home }, { dataDir, port: 3100 });
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCli(words, { env: { ...env, ...more } });
  const serving = (baseUrl: string) =>
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify({ pid: 1, baseUrl, appUrl: baseUrl }));
  return { dataDir, run, serving, place: { env, homeDir: home } };
}

const urlOf = async (run: Awaited<ReturnType<typeof secondTerminal>>['run'], env = {}) =>
  JSON.parse((await run(['mcp', 'config'], env)).stdout).mcpServers.orgctx.url as string;

describe('a command in a second terminal after quickstart', () => {
  it('on the host uses the data folder and port of quickstart', async () => {
    const { dataDir, run, place } = await secondTerminal();
    const { settings } = JSON.parse((await run(['config', 'show', '--json'])).stdout);
    expect(settings.DATA_DIR).toEqual({ value: dataDir, origin: 'quickstart' });
    expect(settings.PORT).toEqual({ value: '3100', origin: 'quickstart' });
    const file = join(place.env.XDG_CONFIG_HOME, 'orgctx', 'host.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await rememberHost(place, { dataDir: temporaryFolder(), port: 3100 })).toBe(dataDir);
  });

  it('that calls the service uses its running address, unless the environment names one', async () => {
    const { run, serving } = await secondTerminal();
    expect(await urlOf(run)).toBe('http://127.0.0.1:3100/mcp');
    serving('http://127.0.0.1:3200');
    expect(await urlOf(run)).toBe('http://127.0.0.1:3200/mcp');
    expect(await urlOf(run, { PORT: '3300' })).toBe('http://127.0.0.1:3300/mcp');
    expect(await urlOf(run, { AUTH_BASE_URL: 'https://c.example' })).toBe('https://c.example/mcp');
    expect(await urlOf(run, { ORGCTX_URL: 'https://d.example' })).toBe('https://d.example/mcp');
  });

  it('admin link prints the address of the running server', async () => {
    const { run, serving } = await secondTerminal();
    expect((await run(['admin', 'create', '--email', 'a@example.com', '--org', 'acme'])).code).toBe(0);
    const link = async (env = {}) =>
      new URL((await run(['admin', 'link', '--email', 'a@example.com'], env)).stdout.trim()).origin;
    expect(await link()).toBe('http://127.0.0.1:3100');
    serving('http://127.0.0.1:3200');
    expect(await link()).toBe('http://127.0.0.1:3200');
    const secret = { AUTH_SECRET: 'x'.repeat(40) };
    expect(await link({ AUTH_BASE_URL: 'https://c.example', ...secret })).toBe('https://c.example');
  });

  it('uses the defaults again when the data folder is gone or the file is damaged', async () => {
    const { dataDir, run, place } = await secondTerminal();
    rmSync(dataDir, { recursive: true });
    expect(await urlOf(run)).toBe('http://127.0.0.1:3000/mcp');
    mkdirSync(dataDir);
    expect(rememberedHost(place)).toEqual({ dataDir, port: 3100 });
    writeFileSync(join(place.env.XDG_CONFIG_HOME, 'orgctx', 'host.json'), '{"version":1');
    expect(await urlOf(run)).toBe('http://127.0.0.1:3000/mcp');
  });
});

describe('a command of the host that only reads', () => {
  it.each([
    ['jobs', 'list'],
    ['deliveries', 'list'],
    ['migrate', '--status'],
    ['admin', 'link', '--email', 'a@example.com'],
    ['admin', 'key', 'revoke', 'x'],
    ['secrets', 'rotate'],
  ])('%s %s creates nothing, names the folder and says what to do', async (...words) => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const { code, stderr } = await runCli([...words, '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(join(dataDir, 'orgctx.db'))]);
    expect(stderr).toContain('--data-dir');
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([
    ['config', 'show'],
    ['doctor', '--json'],
  ])('%s %s creates nothing either', async (...words) => {
    const folder = temporaryFolder();
    await runCli([...words, '--data-dir', join(folder, 'data')]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
