import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { orgctx, start } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const started: ReturnType<typeof start>[] = [];
afterEach(async () => {
  for (const program of started.splice(0)) await program.stop();
});

function serving(...flags: readonly string[]): ReturnType<typeof start> {
  const serve = start(['serve', ...flags, '--port', '0', '--data-dir', temporaryFolder()]);
  started.push(serve);
  return serve;
}

/** Creates a data folder with a migrated database and runs `statement` on it. */
async function dataFolderAfter(statement: string): Promise<string> {
  const dataDir = temporaryFolder();
  expect((await orgctx(['migrate', '--data-dir', dataDir])).code).toBe(0);
  const database = new Database(join(dataDir, 'orgctx.db'));
  database.exec(statement);
  database.close();
  return dataDir;
}

describe('orgctx serve', () => {
  it('creates its database, logs structured lines to stdout starting with listening, and stops on SIGTERM', async () => {
    const serve = serving();
    await serve.line((text) => text.includes('"worker ready"'));
    expect(await serve.stop()).toBe(0);
    const lines = serve.output.stdout.trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed[0]).toMatchObject({ msg: 'listening', baseUrl: expect.stringMatching(/^http:\/\/127/) });
    expect(parsed.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('prints a one-time link only on stderr while there is no user', async () => {
    const serve = serving('--no-worker');
    await serve.line((text) => text.includes('"listening"'));
    await expect.poll(() => serve.output.stderr).toMatch(/first user http:\/\/127\S+\/\.auth\/link\/\S+/);
    await expect
      .poll(() => serve.output.stderr)
      .toMatch(/or: orgctx admin create --data-dir \/\S+ --email you@example\.com /);
    await serve.stop();
    expect(serve.output.stdout).not.toContain('/.auth/link/');
  });

  it('warns that others do not reach it if it listens on every address without a public URL', async () => {
    const serve = serving('--no-worker', '--host', '0.0.0.0');
    await serve.line((text) => text.includes('AUTH_BASE_URL'));
  });

  it('returns 503 at /.status while a request is in flight, and exits after it', async () => {
    const dataDir = temporaryFolder();
    const host = ['--email', 'ada@example.com', '--data-dir', dataDir];
    await orgctx(['admin', 'create', '--org', 'acme', ...host]);
    const made = await orgctx(['admin', 'key', 'create', '--name', 'test', '--json', ...host]);
    const { apiKey } = JSON.parse(made.stdout) as { apiKey: string };
    const serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', dataDir]);
    started.push(serve);
    const log = await serve.line((text) => text.includes('"listening"'));
    const { baseUrl } = JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string };
    const { hostname, port } = new URL(baseUrl);
    // The rest of the body is never sent: the request stays in flight until the connection ends.
    const slow = connect(Number(port), hostname);
    slow.on('error', () => undefined);
    const head = [
      'POST /mcp?orgSlug=acme HTTP/1.1',
      'host: x',
      `authorization: Bearer ${apiKey}`,
      'content-type: application/json',
      'content-length: 9',
      'expect: 100-continue',
    ];
    slow.write(`${head.join('\r\n')}\r\n\r\n`);
    // The server sends `100 Continue` when the request is in flight.
    const [continued] = (await once(slow, 'data')) as [Buffer];
    expect(continued.toString()).toMatch(/^HTTP\/1.1 100/);
    slow.write('{');
    serve.process.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${baseUrl}/.status`)).status).toBe(503);
    slow.destroy();
    await expect.poll(() => serve.process.exitCode).toBe(0);
  });

  it('stops on SIGTERM while a client keeps its connection open', async () => {
    const serve = serving('--no-worker');
    const log = await serve.line((text) => text.includes('"listening"'));
    const { baseUrl } = JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string };
    const answer = await fetch(`${baseUrl}/.status`, { headers: { connection: 'keep-alive' } });
    expect(answer.status).toBe(200);
    expect(await serve.stop()).toBe(0);
  });

  it('takes a changed setting of the tracker with its next start, and not before', async () => {
    const cwd = temporaryFolder();
    mkdirSync(cwd, { recursive: true });
    const secret = 'tracker-webhook-secret';
    const flags = ['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()];
    const seen: number[] = [];
    for (const run of ['first', 'second']) {
      const serve = start(flags, { cwd });
      started.push(serve);
      const log = await serve.line((text) => text.includes('"listening"'));
      const { baseUrl } = JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string };
      const deliver = async () => {
        const { headers, body } = signTracker(trackerEvent(), { secret });
        const url = `${baseUrl}/api/v1/webhook/tracker`;
        const answer = await fetch(url, { method: 'POST', headers, body: body.toString() });
        seen.push(answer.status);
      };
      await deliver();
      writeFileSync(join(cwd, 'orgctx.yaml'), `TRACKER_WEBHOOK_SECRET: ${secret}\n`);
      if (run === 'first') await deliver();
      await serve.stop();
    }
    expect(seen).toEqual([503, 503, 200]);
  });
});

describe('a schema of another version', () => {
  it.each(['serve', 'worker'])('older than the program: %s refuses it and names migrate', async (command) => {
    const dataDir = await dataFolderAfter('delete from schema_migrations');
    const { code, stderr } = await orgctx([command, '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(stderr).toContain('orgctx migrate');
  });

  it.each(['serve', 'worker'])('newer than the program: %s refuses it and says so', async (command) => {
    const dataDir = await dataFolderAfter(
      `insert into schema_migrations values ('9999-later', 'x', 0, '9.9.9')`,
    );
    const { code, stderr } = await orgctx([command, '--data-dir', dataDir]);
    expect(code).toBe(3);
    expect(stderr).toContain('newer');
  });
});
