import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { freePort } from '../../http/free-port.ts';
import { compileCache } from '../../program/compile-cache.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
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

/** Environment that prevents a program from opening a browser: the test opens the printed address. */
const noBrowser = { BROWSER: '/bin/true', MCP_AUTO_OPEN_ENABLED: 'true', NO_COLOR: '1' };
const timeoutMs = 60_000;

/** The client `mcp-remote`, a bridge for clients that support only stdio. It stores its credentials in a folder. */
export const mcpRemoteClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    const folder = temporaryFolder();
    const port = String(await freePort());
    const args = [binary('mcp-remote'), mcpUrl, port, '--transport', 'http-only', '--host', '127.0.0.1'];
    const env = {
      ...noBrowser,
      ...compileCache(),
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      MCP_REMOTE_CONFIG_DIR: folder,
    };
    let bridge = await startBridge(args, env, authorize);
    const refreshToken = (): string => readStore(folder, 'tokens.json')['refresh_token'] as string;
    const restart = async (): Promise<void> => {
      await bridge.client.close();
      bridge = await startBridge(args, env, refuseAuthorization);
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
  /** Runs a call of the client; fails if the client requests another authorization meanwhile. */
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
  const connecting = client.connect(transport, { timeout: timeoutMs });
  const authorization = watchForAuthorization(transport.stderr as Readable, authorize);
  await Promise.race([connecting, authorization.failed]);
  return { client, call: (use) => Promise.race([use(toolsOf(client)), authorization.failed]) };
}

/** Opens the first authorization URL that a program prints; a second one is an error. */
function watchForAuthorization(
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
      (seen === 0 ? authorize : refuseAuthorization)(urls[seen] ?? '').catch(failed.reject);
  });
  return { failed: failed.promise, printed: () => printed };
}

async function refuseAuthorization(): Promise<void> {
  throw new Error('the client requested another authorization');
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

/** The client `mcp-inspector --cli`, one process per call; it stores its credentials in a file. */
export function inspectorClient(era: 'legacy' | 'modern'): OAuthClient {
  return {
    async connect(mcpUrl, authorize) {
      const folder = temporaryFolder();
      const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
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
      const run = (args: readonly string[], onAuthorization: Authorize): Promise<string> =>
        runProgram([binary('mcp-inspector'), ...common, ...args], env, onAuthorization);
      await run(['--method', 'tools/list', '--callback-url', callback], authorize);
      return inspectorSession(mcpUrl, folder, (args) =>
        run([...args, '--callback-url', callback], refuseAuthorization),
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
  // The tokens are JSON inside a JSON string.
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
      // Its `--relogin` finds no revocation endpoint in the stored data of the command line (2.12.0).
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
    env: { ...noBrowser, ...compileCache(), PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const authorization = watchForAuthorization(child.stderr as Readable, authorize);
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [code] = await within(
      timeoutMs,
      Promise.race([closed, authorization.failed]),
      'exit of the program',
    );
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${authorization.printed()}`);
    return stdout;
  } finally {
    child.kill('SIGKILL');
  }
}
