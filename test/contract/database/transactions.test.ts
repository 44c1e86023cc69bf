import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkGitVersion } from '../../../src/foundation/git/process/git-version.ts';
import { gitOutput } from '../../../src/foundation/git/process/spawn-git.ts';
import { runRemote } from '../../../src/foundation/git/remote/run-remote.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const rule = /inside a database transaction\. Only queries of its `tx`/;

async function loopbackServer(): Promise<{ url: string; requests: () => number; close: () => void }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests, close: () => void server.close() };
}

describeEachDatabase('in a transaction', (open) => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it('an HTTP request is refused before it is sent, and succeeds after the commit', async () => {
    const database = await open();
    const server = await loopbackServer();
    const http = createHttpClient({ allowHosts: [] });
    closing.push(server.close, () => http.close());
    const request = () => http.request({ url: server.url, destination: 'operator' });
    await expect(database.transaction(request)).rejects.toThrow(rule);
    expect(server.requests()).toBe(0);
    expect((await request()).status).toBe(200);
  });

  it('no local or remote Git process is started', async () => {
    const database = await open();
    const folder = temporaryFolder();
    const remote = () =>
      runRemote(['ls-remote', folder], {
        source: parseSource('https://host.test/r', { allowLocal: false, allowHosts: [] }),
        process: {},
        folder,
        stallMs: 1_000,
        signal: new AbortController().signal,
      });
    for (const begin of [() => checkGitVersion(), () => gitOutput(folder, ['rev-parse']), remote]) {
      await expect(database.transaction(async () => void (await begin()))).rejects.toThrow(rule);
    }
    expect(await checkGitVersion()).toMatch(/^\d+\.\d+/);
  });

  it('work that it leaves running may start a process once the transaction has ended', async () => {
    const database = await open();
    let behind: Promise<string> | undefined;
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await database.transaction(async () => {
      behind = end.then(() => checkGitVersion());
    });
    ended();
    expect(await behind).toMatch(/^\d+\.\d+/);
  });
});

// Inverted tests: each of these must fail, otherwise the check of the whole suite is off.
describeEachDatabase('a test fails when something in a transaction', (open) => {
  it.fails('opens a socket without foundation/net', async () => {
    const database = await open();
    await database.transaction(async () => {
      const socket = connect(1, '127.0.0.1');
      await once(socket, 'error').catch(() => undefined);
    });
  });

  it.fails('starts a process without foundation/git', async () => {
    const database = await open();
    await database.transaction(async () => {
      await once(spawn('true'), 'exit');
    });
  });
});

describe('a test does not fail when something outside a transaction', () => {
  it('opens a socket or starts a process', async () => {
    const socket = connect(1, '127.0.0.1');
    await once(socket, 'error').catch(() => undefined);
    await once(spawn('true'), 'exit');
  });
});
