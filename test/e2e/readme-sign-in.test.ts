import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password, steps } from '../support/identity/oauth-http.ts';
import { start } from '../support/program/program.ts';
import { createPerson } from '../support/program/program-home.ts';
import { codeBlocks, readPage } from '../support/run/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Returns the three blocks of the section, for a service at another address. */
function script(baseUrl: string): string {
  const section =
    readPage('docs/troubleshooting.md').split('## The OAuth sign-in with curl\n')[1]?.split(/^##/m)[0] ?? '';
  const blocks = codeBlocks(section, 'sh');
  expect(blocks).toHaveLength(3);
  return blocks.join('\n').replace('BASE=https://context.example.com', `BASE=${baseUrl}`);
}

describe.skipIf(!hasCurl)('the OAuth sign-in with curl in the documentation', () => {
  let serve: ReturnType<typeof start>;
  let baseUrl: string;

  beforeAll(async () => {
    const dataDir = temporaryFolder();
    const home = { env: {}, dataDir, [Symbol.asyncDispose]: async () => undefined };
    await createPerson(home, { email: 'ann@example.com', password, organizations: ['acme'] });
    serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', dataDir]);
    const log = await serve.line((text) => text.includes('"listening"'));
    baseUrl = (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
  });

  afterAll(() => serve?.stop());

  it('leads from a bare 401 to the list of tools, line by line as it is written', async () => {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script(baseUrl)], {
      signal: AbortSignal.timeout(60_000),
    });
    let said = '';
    const authorization = Promise.withResolvers<string>();
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /^http\S+\/\.auth\/authorize\?\S+(?=\n)/m.exec(said)?.[0];
      if (url !== undefined) authorization.resolve(url);
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      shell.once('close', resolve).once('error', reject);
    });
    ended
      .then(() => authorization.reject(new Error(`no address for the browser:\n${said}`)))
      .catch(authorization.reject);

    const { browser, answer } = steps(baseUrl);
    const { left } = await answer(browser(), await authorization.promise);
    expect(left?.searchParams.get('state')).toBe('by-hand');
    shell.stdin.end(`${left?.searchParams.get('code') ?? ''}\n`);

    expect(await ended).toBe(0);
    expect(said).toContain('HTTP/1.1 401');
    expect(said).toContain(`resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`);
    expect(said).toContain('"registration_endpoint"');
    expect(said).toContain('"svc_advisor"');
  });
});
