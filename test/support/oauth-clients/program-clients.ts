import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { freePort } from '../../../src/app/bind-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { within } from './callback.ts';
import {
  type Authorize,
  binary,
  clientName,
  type OAuthClient,
  type OAuthSession,
  type Registration,
  revokeToken,
  toolsOf,
} from './client.ts';

/** A program that would open a browser by itself opens none: the address that it prints is opened in the test's. */
const noBrowser = { BROWSER: '/bin/true', MCP_AUTO_OPEN_ENABLED: 'true', NO_COLOR: '1' };
const patienceMs = 60_000;

/** `mcp-remote`, the bridge of clients that speak stdio alone. It keeps what it was given in a folder. */
export const mcpRemoteClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    const folder = temporaryFolder();
    const port = String(await freePort('127.0.0.1'));
    const args = [binary('mcp-remote'), mcpUrl, port, '--transport', 'http-only', '--host', '127.0.0.1'];
    const env = {
      ...noBrowser,
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      MCP_REMOTE_CONFIG_DIR: folder,
    };
    let bridge = await startBridge(args, env, authorize);
    const refreshToken = (): string => readStore(folder, 'tokens.json')['refresh_token'] as string;
    const restart = async (): Promise<void> => {
      await bridge.client.close();
      bridge = await startBridge(args, env, refuseToAsk);
    };
    return {
      listTools: () => bridge.call((tools) => tools.listTools()),
      ask: (prompt) => bridge.call((tools) => tools.ask(prompt)),
      async refresh() {
        const before = refreshToken();
        changeStore(folder, 'tokens.json', (stored) => ({ ...stored, access_token: 'expired' }));
        await restart();
        return { before, after: refreshToken() };
      },
      async revoke() {
        const registration: unknown = readStore(folder, 'client_info.json');
        await revokeToken(mcpUrl, refreshToken(), registration as Registration);
      },
      close: () => bridge.client.close(),
    };
  },
};

interface Bridge {
  readonly client: Client;
  /** A call of the client, which fails when a person is asked anew while it waits. */
  call<Value>(use: (tools: ReturnType<typeof toolsOf>) => Promise<Value>): Promise<Value>;
}

async function startBridge(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  authorize: Authorize,
): Promise<Bridge> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
  });
  const client = new Client({ name: clientName, version: '1' });
  const connecting = client.connect(transport, { timeout: patienceMs });
  const asked = authorizeWhenAsked(transport.stderr as Readable, authorize);
  await Promise.race([connecting, asked.failed]);
  return { client, call: (use) => Promise.race([use(toolsOf(client)), asked.failed]) };
}

/** Opens the address that a program prints for its user, once. */
function authorizeWhenAsked(
  stderr: Readable,
  authorize: Authorize,
): { readonly failed: Promise<never>; printed(): string } {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let printed = '';
  let seen = 0;
  stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    const urls = printed.match(/https?:\/\/\S+[?&]client_id=\S+(?=\s)/gu) ?? [];
    for (; seen < urls.length; seen += 1)
      (seen === 0 ? authorize : refuseToAsk)(urls[seen] ?? '').catch(failed.reject);
  });
  return { failed: failed.promise, printed: () => printed };
}

async function refuseToAsk(): Promise<void> {
  throw new Error('the client asked a person again');
}

type Stored = Record<string, unknown>;

function storeFile(folder: string, name: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith(name),
  );
  if (found === undefined) throw new Error(`no ${name} was stored`);
  return join(folder, found);
}

function readStore(folder: string, name: string): Stored {
  return JSON.parse(readFileSync(storeFile(folder, name), 'utf8')) as Stored;
}

function changeStore(folder: string, name: string, change: (stored: Stored) => Stored): void {
  writeFileSync(storeFile(folder, name), JSON.stringify(change(readStore(folder, name))));
}

/** `mcp-inspector --cli`, a process a call; what it was given stands in a file. */
export function inspectorClient(era: 'legacy' | 'modern'): OAuthClient {
  return {
    async connect(mcpUrl, authorize) {
      const folder = temporaryFolder();
      const callback = `http://127.0.0.1:${await freePort('127.0.0.1')}/oauth/callback`;
      const common = [
        '--cli',
        mcpUrl,
        '--transport',
        'http',
        '--protocol-era',
        era,
        '--format',
        'json',
        '-q',
      ];
      const env = { HOME: folder, MCP_STORAGE_DIR: folder, MCP_INSPECTOR_SECRET_STORE: 'file' };
      const run = (args: readonly string[], asked: Authorize): Promise<string> =>
        runProgram([binary('mcp-inspector'), ...common, ...args], env, asked);
      await run(['--method', 'tools/list', '--callback-url', callback], authorize);
      return inspectorSession(mcpUrl, folder, (args) =>
        run([...args, '--callback-url', callback], refuseToAsk),
      );
    },
  };
}

interface InspectorTools {
  readonly result: { readonly tools: readonly { readonly name: string }[] };
}

function inspectorSession(
  mcpUrl: string,
  folder: string,
  run: (args: readonly string[]) => Promise<string>,
): OAuthSession {
  const read = (): string => readFileSync(storeFile(folder, 'secrets.json'), 'utf8');
  const write = (stored: string): void => writeFileSync(storeFile(folder, 'secrets.json'), stored);
  // Its tokens are JSON in a string of JSON.
  const refreshToken = (): string => /refresh_token\\":\\"([^"\\]+)/u.exec(read())?.[1] ?? '';
  const listTools = async (): Promise<readonly string[]> => {
    const listed = JSON.parse(await run(['--method', 'tools/list'])) as InspectorTools;
    return listed.result.tools.map((tool) => tool.name);
  };
  return {
    listTools,
    ask: (prompt) => {
      const args = ['--method', 'tools/call', '--tool-name', 'svc_advisor'];
      return run([...args, '--tool-args-json', JSON.stringify({ prompt })]);
    },
    async refresh() {
      const before = refreshToken();
      write(read().replace(/(access_token\\":\\")[^"\\]+/u, '$1expired'));
      await listTools();
      return { before, after: refreshToken() };
    },
    async revoke() {
      // Its own `--relogin` finds no revocation endpoint in what the command line stores (2.12.0).
      const registered = readFileSync(storeFile(folder, 'oauth.json'), 'utf8');
      const clientId = /"client_id":\s*"([^"]+)"/u.exec(registered)?.[1] ?? '';
      await revokeToken(mcpUrl, refreshToken(), { client_id: clientId });
    },
    close: async () => undefined,
  };
}

async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  authorize: Authorize,
): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    env: { ...noBrowser, PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const asked = authorizeWhenAsked(child.stderr as Readable, authorize);
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [code] = await within(patienceMs, Promise.race([closed, asked.failed]), 'the program ended');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${asked.printed()}`);
    return stdout;
  } finally {
    child.kill('SIGKILL');
  }
}
