import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  openRemoteCodeSearch,
  type RemoteCodeSearch,
} from '../../../src/backends/codesearch/remote/open-remote-code-search.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { killProcess } from '../kill/kill-process.ts';
import { compileCache } from '../program/compile-cache.ts';
import { program } from '../program/program.ts';

/** `orgctx codesearch` as a separate process. */
export interface CodeSearchProcess {
  readonly url: string;
  readonly output: () => string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

export const serviceSecret = 'a-secret-of-the-code-search-service-0123456789';

const source = fileURLToPath(new URL('../../../bin/orgctx.ts', import.meta.url));
/** `npm test` has just built the program, which starts in a third of the time. */
const launcher = process.env['ORGCTX_TEST_BUILT'] === 'true' ? program : source;

/** Starts it and waits until it listens. */
export async function startCodeSearchProcess(dataDir: string, port = 0): Promise<CodeSearchProcess> {
  const args = [launcher, 'codesearch', '--port', String(port), '--data-dir', dataDir];
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...compileCache(), CODESEARCH_SECRET: serviceSecret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'exit');
  const listening = Promise.withResolvers<string>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const found = /"baseUrl":"([^"]+)"[^\n]*"msg":"listening"/.exec(output)?.[1];
    if (found !== undefined) listening.resolve(found);
  });
  void ended.then(() => listening.reject(new Error(`orgctx codesearch did not start:\n${output}`)));
  return {
    url: await listening.promise,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    kill: () => killProcess(child),
  };
}

/** Opens the adapter that a server or worker uses. */
export function remoteAt(url: string, secret = serviceSecret): RemoteCodeSearch & { close(): Promise<void> } {
  const http = createHttpClient({ allowHosts: [] });
  return { ...openRemoteCodeSearch({ url, secret, http }), close: () => http.close() };
}
