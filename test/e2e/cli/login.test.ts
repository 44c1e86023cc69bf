import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  decide,
  enterUserCode,
  hasBrowser,
  signIn,
  signInAndAllow,
  useBrowser,
} from '../../support/http/chromium.ts';
import { orgctx, start } from '../../support/program/program.ts';
import { createPerson, openHome, type ProgramHome } from '../../support/program/program-home.ts';
import { hasTmux, runInTerminal } from '../../support/program/tmux.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery staple' };

let home: ProgramHome;
let serve: ReturnType<typeof start>;
let baseUrl: string;

beforeAll(async () => {
  home = await openHome('sqlite');
  await createPerson(home, { ...ada, organizations: ['acme', 'globex'] });
  serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', home.dataDir], { env: home.env });
  const log = await serve.line((text) => text.includes('"listening"'));
  const listening = log.split('\n').find((line) => line.includes('"listening"')) ?? '';
  baseUrl = (JSON.parse(listening) as { baseUrl: string }).baseUrl;
});

afterAll(async () => {
  await serve?.stop();
  await home?.[Symbol.asyncDispose]();
});

/** Creates a user account of a machine: a config folder and a fake browser that records the opened address. */
function account() {
  const config = temporaryFolder();
  const bin = temporaryFolder();
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > ${bin}/part && mv ${bin}/part ${bin}/opened\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: config,
    XDG_CONFIG_HOME: config,
    ORGCTX_URL: baseUrl,
    BROWSER: 'noted',
  };
  const file = join(config, 'orgctx', 'credentials.json');
  const read = () => JSON.parse(readFileSync(file, 'utf8'));
  return {
    env,
    file,
    opened: () => (existsSync(`${bin}/opened`) ? readFileSync(`${bin}/opened`, 'utf8') : ''),
    run: (...words: readonly string[]) => orgctx(words, { env }),
    login: () => read().logins[baseUrl],
    /** Changes the stored login, to simulate expiry or another process. */
    change: (part: Readonly<Record<string, unknown>>) => {
      const login = { ...read().logins[baseUrl], ...part };
      writeFileSync(file, JSON.stringify({ version: 1, logins: { [baseUrl]: login } }));
    },
  };
}

type Account = ReturnType<typeof account>;

describe.skipIf(!hasBrowser() || !hasTmux())('orgctx login in a terminal, confirmed in a browser', () => {
  const browser = useBrowser(() => baseUrl);

  /** Starts the sign-in in a terminal and opens its page in a browser; returns the code that the terminal shows. */
  async function begin({ env, opened }: Account) {
    const terminal = runInTerminal(['login'], env);
    onTestFinished(() => terminal.close());
    const [, code = ''] = await terminal.shows(/^ {2}([A-Z]{4}-[A-Z]{4})$/m);
    await expect.poll(opened).toBe(`${baseUrl}/.auth/device?user_code=${code}`);
    const page = await (await browser.newPerson()).newPage();
    await page.goto(opened());
    return { terminal, page, code };
  }

  /** Enters the code on the device page if it asks for it. */
  async function toConsent(page: Page, code: string): Promise<void> {
    if (await page.locator('input[name=user_code]').isVisible()) await enterUserCode(page, code);
  }

  async function signedIn(organization = 'acme'): Promise<Account> {
    const somebody = account();
    const { terminal, page, code } = await begin(somebody);
    await toConsent(page, code);
    await signInAndAllow(page, { ...ada, organization });
    expect(await terminal.exitCode()).toBe(0);
    return somebody;
  }

  const expired = { accessTokenExpiresAt: 0 };

  it('signs in to the chosen organization, and protects the credentials from other users', async () => {
    const somebody = account();
    const { terminal, page, code } = await begin(somebody);
    await toConsent(page, code);
    await signInAndAllow(page, { ...ada, organization: 'globex' });
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toContain(`Signed in at ${baseUrl} as ${ada.email}, organization globex.`);
    expect(statSync(somebody.file).mode & 0o777).toBe(0o600);
    const { accessToken, refreshToken } = somebody.login();
    expect(terminal.screen()).not.toContain(accessToken);
    expect(terminal.screen()).not.toContain(refreshToken);

    const who = await somebody.run('whoami', '--json');
    expect(JSON.parse(who.stdout)).toMatchObject({
      url: baseUrl,
      user: { email: ada.email },
      organization: { slug: 'globex', role: 'owner' },
      credential: { kind: 'oauth' },
      scopes: ['api'],
    });
    expect((await somebody.run('repo', 'list', '--json')).stdout).toBe('{"items":[],"nextCursor":null}\n');
    expect((await somebody.run('ask', 'Where is the reaper?')).stdout).toContain('Nothing is indexed');

    const elsewhere = await somebody.run('repo', 'list', '--org', 'acme');
    expect(elsewhere.code).toBe(4);
    expect(elsewhere.stderr).toContain('Your login is for globex, not for acme');
  });

  it('does not sign an MCP client in: its token is refused at /mcp with 403 insufficient_scope', async () => {
    const { accessToken } = (await signedIn()).login();
    const answer = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toMatch(/scope="mcp", error="insufficient_scope"/);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('renews the login when it is about to expire and when the service refuses the token', async () => {
    const somebody = await signedIn();
    const first = somebody.login();
    somebody.change(expired);
    expect((await somebody.run('repo', 'list')).code).toBe(0);
    const second = somebody.login();
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    somebody.change({ accessToken: `${second.accessToken}x` });
    expect((await somebody.run('repo', 'list')).code).toBe(0);
    expect(somebody.login().refreshToken).not.toBe(second.refreshToken);
  });

  it('lets several concurrent commands renew the login without signing out', async () => {
    const somebody = await signedIn();
    somebody.change(expired);
    const commands = [['repo', 'list'], ['grant', 'list'], ['audit'], ['whoami']];
    const ran = await Promise.all(commands.map((words) => somebody.run(...words)));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    somebody.change(expired);
    expect((await somebody.run('whoami')).code).toBe(0);
  });

  it('ends with orgctx logout, which removes the grant at the service and the local entry', async () => {
    const somebody = await signedIn();
    const { accessToken } = somebody.login();
    const out = await somebody.run('logout', '--json');
    expect(JSON.parse(out.stdout)).toEqual({ url: baseUrl, removed: true, revoked: true });
    expect(somebody.login()).toBeUndefined();
    expect((await somebody.run('whoami')).code).toBe(4);
    const answer = await fetch(`${baseUrl}/api/v1/me`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(answer.status).toBe(401);
  });

  it('ends when its grant is removed elsewhere, and reports it with exit 4', async () => {
    const somebody = await signedIn();
    const { credential } = JSON.parse((await somebody.run('whoami', '--json')).stdout);
    expect((await somebody.run('grant', 'remove', credential.id)).code).toBe(0);
    const { code, stderr } = await somebody.run('whoami');
    expect(code).toBe(4);
    expect(stderr).toContain(`orgctx login --url ${baseUrl}`);
  });

  it('exits with 4 when the person denies the request', async () => {
    const somebody = account();
    const { terminal, page, code } = await begin(somebody);
    await toConsent(page, code);
    if (await page.locator('input[name=password]').isVisible()) await signIn(page, ada);
    await page.locator('button[name=decision][value=deny]').waitFor();
    await decide(page, 'deny');
    expect(await terminal.exitCode()).toBe(4);
    expect(terminal.screen()).toContain('denied in the browser');
    expect(existsSync(somebody.file)).toBe(false);
  });

  it('stops on Ctrl-C with exit 130', async () => {
    const { terminal } = await begin(account());
    terminal.press('C-c');
    expect(await terminal.exitCode()).toBe(130);
  });
});
