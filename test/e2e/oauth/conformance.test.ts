import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, signInAndAllow, useBrowser } from '../../support/http/chromium.ts';
import { freePort } from '../../support/http/free-port.ts';
import { within } from '../../support/identity/oauth-clients/callback.ts';
import { binary } from '../../support/identity/oauth-clients/client.ts';
import { discover, register } from '../../support/identity/oauth-clients/library-clients.ts';
import { type RunningProgram, start } from '../../support/program/program.ts';
import { createPerson, openHome, type ProgramHome } from '../../support/program/program-home.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery staple', organizations: ['acme'] };

describe.skipIf(!hasBrowser())('the official conformance suite, for authorization servers', () => {
  const browser = useBrowser(() => baseUrl);
  let home: ProgramHome;
  let serve: RunningProgram;
  let baseUrl: string;

  beforeAll(async () => {
    home = await openHome('sqlite');
    await createPerson(home, ada);
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    const serving = start(['serve', '--no-worker', '--port', String(port), '--data-dir', home.dataDir], home);
    serve = serving;
    await serving.line((text) => text.includes('"listening"'));
  });

  afterAll(() => serve?.stop());

  it('passes both scenarios: the metadata, and an authorization code for a person in a browser', async () => {
    const port = await freePort();
    const { as } = await discover(`${baseUrl}/mcp`);
    const { client_id: clientId } = await register(as, `http://127.0.0.1:${port}/callback`);
    const person = await browser.newPerson();
    const { stdout, code } = await runSuite(
      ['--url', baseUrl, '--client-id', clientId, '--resource', `${baseUrl}/mcp`, '-p', String(port)],
      async (url) => {
        const page = await person.newPage();
        await page.goto(url);
        await signInAndAllow(page, { ...ada, organization: 'acme' });
      },
    );
    expect(code, stdout).toBe(0);
    for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
      expect(stdout).toContain(`✓ ${scenario}`);
  });

  it('fails when there is no authorization server', async () => {
    const { code } = await runSuite(
      ['--url', `${baseUrl}/nowhere`, '--client-id', 'x'],
      async () => undefined,
    );
    expect(code).not.toBe(0);
  });
});

/** Runs the suite, opens the address that it prints, and waits until it exits. */
async function runSuite(
  args: readonly string[],
  authorize: (url: string) => Promise<void>,
): Promise<{ stdout: string; code: number | null }> {
  const child = spawn(process.execPath, [binary('conformance'), 'authorization', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  let authorized: Promise<void> | undefined;
  const failed = Promise.withResolvers<never>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const url = /^https?:\/\/\S+[?&]client_id=\S+$/mu.exec(stdout)?.[0];
    if (url === undefined || !stdout.includes('Waiting up to') || authorized !== undefined) return;
    authorized = authorize(url);
    authorized.catch(failed.reject);
  });
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [code] = await within(120_000, Promise.race([closed, failed.promise]), 'the suite ended');
    return { stdout, code };
  } finally {
    child.kill('SIGKILL');
  }
}
