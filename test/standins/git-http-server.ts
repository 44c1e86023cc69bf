import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Certificate } from './certificate-authority.ts';

/** The behaviour of the Git host; tests change it while it runs. */
export type GitHttpBehaviour =
  | { readonly kind: 'well' }
  /** Redirects every request to another origin, with the same path and query. */
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'ask-password' }
  /** Accepts the connection and never responds. */
  | { readonly kind: 'silent' }
  /** Sends the first bytes of the pack, then nothing. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  | { readonly kind: 'fail'; readonly status: number }
  /** Asks for credentials, then fails with this status and a text that repeats them. */
  | { readonly kind: 'echo'; readonly status: number }
  /** Refuses pushes with 403; `words` is the response body. This kind and all below affect only pushes. */
  | { readonly kind: 'forbid-push'; readonly words?: string }
  /** Accepts the credentials of a push for the ref advertisement, then refuses them. */
  | { readonly kind: 'expire' }
  /** Its hook prints `words` and declines the push, like a rule. */
  | { readonly kind: 'decline'; readonly words: string }
  /** Its hook prints `words` and declines a push that moves one of `refs`, like a protected branch. */
  | { readonly kind: 'protect'; readonly refs: readonly string[]; readonly words: string }
  /** Lets another push win while one is in flight: moves `ref` to `commit` before the hook accepts it. */
  | { readonly kind: 'overtake'; readonly ref: string; readonly commit: string }
  /** Closes the connection after the ref advertisement. */
  | { readonly kind: 'reset-push' }
  /** Accepts a push and closes the connection before it responds. */
  | { readonly kind: 'lose-answer' }
  /** Closes the connection of a push, and applies the push when the file `until` exists; then calls `ended`. */
  | { readonly kind: 'late'; readonly until: string; readonly ended: () => void };

export interface GitHttpServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or https. */
  readonly origin: string;
  behaviour: GitHttpBehaviour;
  /** Required HTTP Basic credentials. Default: none are required. */
  credentials: { readonly username: string; readonly password: string } | undefined;
  /** Called once, at the ref advertisement of the next push: simulates a change between a fetch and a push. */
  beforePush: (() => void) | undefined;
  /** Number of TCP connections so far. */
  connections: number;
  /** Method and path of each request so far. */
  readonly requests: string[];
  close(): Promise<void>;
}

/**
 * Starts a loopback server of Git's smart HTTP protocol: `git http-backend` serves the bare repositories under `root`.
 */
export async function startGitHttpServer(options: {
  readonly root: string;
  readonly tls?: Certificate;
}): Promise<GitHttpServer> {
  const sockets = new Set<Socket>();
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    server.requests.push(`${message.method} ${message.url}`);
    serveGit(server, options.root, message, response);
  };
  const listener = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  listener.on('connection', (socket: Socket) => {
    server.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const server: GitHttpServer = {
    port,
    origin: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    behaviour: { kind: 'well' },
    credentials: undefined,
    beforePush: undefined,
    connections: 0,
    requests: [],
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return server;
}

/** What decides how a request is answered. */
export type GitAnswers = Pick<GitHttpServer, 'behaviour' | 'credentials' | 'beforePush'>;

/** Answers one request of Git's smart HTTP protocol. Its path is below `root`. */
export function serveGit(
  server: GitAnswers,
  root: string,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { behaviour } = server;
  const { kind } = behaviour;
  if (kind === 'silent') return;
  if (kind === 'redirect') {
    response.writeHead(302, { location: `${behaviour.to}${message.url}` }).end();
  } else if (kind === 'fail') {
    response.writeHead(behaviour.status).end();
  } else if (kind === 'echo') {
    echoCredentials(behaviour.status, message, response);
  } else if (kind === 'ask-password' || !isSignedIn(server, message)) {
    askPassword(response);
  } else if (isPush(message)) {
    respondToPush(server, root, message, response);
  } else {
    runBackend(root, message, response, behaviour);
  }
}

function respondToPush(
  server: GitAnswers,
  root: string,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { behaviour, beforePush } = server;
  server.beforePush = undefined;
  beforePush?.();
  const isAdvertisement = message.method === 'GET';
  if (behaviour.kind === 'forbid-push') {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(behaviour.words ?? 'Write access denied.');
  } else if (behaviour.kind === 'expire' && !isAdvertisement) {
    askPassword(response);
  } else if (behaviour.kind === 'reset-push' && !isAdvertisement) {
    message.socket.destroy();
  } else {
    runBackend(root, message, response, behaviour);
  }
}

function isPush(message: IncomingMessage): boolean {
  return message.url?.endsWith('git-receive-pack') === true;
}

function isSignedIn({ credentials }: GitAnswers, message: IncomingMessage): boolean {
  if (credentials === undefined) return true;
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return message.headers.authorization === `Basic ${pair}`;
}

function echoCredentials(status: number, { headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.authorization === undefined) return askPassword(response);
  const pair = Buffer.from(headers.authorization.replace(/^Basic /, ''), 'base64').toString();
  // A carriage return begins a line of the log that Git does not mark as the host's.
  const words = `${headers.authorization}\n${pair}\rfatal: unable to access 'x': CONNECT tunnel failed, response 407`;
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${words}\n`);
}

function askPassword(response: ServerResponse): void {
  response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end();
}

/** The hook of every repository: acts on the environment variables of one push. */
const hook = `#!/bin/sh
while [ -n "$STANDIN_LATE" ] && [ ! -e "$STANDIN_LATE" ]; do sleep 0.05; done
[ -z "$STANDIN_OVERTAKE" ] || env -u GIT_QUARANTINE_PATH git update-ref $STANDIN_OVERTAKE
[ -z "$STANDIN_PROTECT" ] || ! grep -qE " ($STANDIN_PROTECT)$" || { echo "$STANDIN_PROTECT_WORDS" >&2; exit 1; }
[ -z "$STANDIN_DECLINE" ] || { echo "$STANDIN_DECLINE" >&2; exit 1; }
`;

function hookVariables(behaviour: GitHttpBehaviour): Record<string, string> {
  if (behaviour.kind === 'decline') return { STANDIN_DECLINE: behaviour.words };
  if (behaviour.kind === 'protect') {
    return { STANDIN_PROTECT: behaviour.refs.join('|'), STANDIN_PROTECT_WORDS: behaviour.words };
  }
  if (behaviour.kind === 'late') return { STANDIN_LATE: behaviour.until };
  if (behaviour.kind !== 'overtake') return {};
  return { STANDIN_OVERTAKE: `${behaviour.ref} ${behaviour.commit}` };
}

function writeHook(root: string): string {
  const folder = join(root, '.hooks');
  if (!existsSync(folder)) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'pre-receive'), hook, { mode: 0o755 });
  }
  return folder;
}

/** Runs one CGI call (RFC 3875): writes the request body, reads a header block and the response body. */
function runBackend(
  root: string,
  message: IncomingMessage,
  response: ServerResponse,
  behaviour: GitHttpBehaviour,
): void {
  const url = new URL(message.url ?? '/', 'http://127.0.0.1');
  const config = [
    ['safe.directory', '*'],
    ['http.receivepack', 'true'],
    ['uploadpack.allowFilter', 'true'],
    ['core.hooksPath', writeHook(root)],
    ['receive.autogc', 'false'],
  ] as const;
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: String(config.length),
      ...Object.fromEntries(
        config.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: message.method,
      CONTENT_TYPE: message.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: message.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(message.headers['git-protocol'] ?? ''),
      ...hookVariables(behaviour),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => undefined);
  message.pipe(backend.stdin);
  if (behaviour.kind === 'late' && isPush(message) && message.method === 'POST') {
    backend.stdout.resume();
    backend.once('close', behaviour.ended);
    message.once('end', () => message.socket.destroy());
    return;
  }
  response.once('close', () => backend.kill());
  if (behaviour.kind === 'lose-answer' && isPush(message) && message.method === 'POST') {
    backend.stdout.resume().once('end', () => message.socket.destroy());
    return;
  }
  const pack = message.method === 'POST' && behaviour.kind !== 'well';
  void forward(backend.stdout, response, pack ? behaviour : { kind: 'well' }).catch(() => response.destroy());
}

async function forward(
  output: Readable,
  response: ServerResponse,
  behaviour: GitHttpBehaviour,
): Promise<void> {
  let head = Buffer.alloc(0);
  let sent = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    if (response.headersSent) {
      sent += await send(chunk, response, behaviour, sent);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) continue;
    writeHead(head.toString('latin1', 0, end), response);
    sent += await send(head.subarray(end + 4), response, behaviour, sent);
  }
  response.end();
}

function writeHead(block: string, response: ServerResponse): void {
  let status = 200;
  for (const line of block.split('\r\n')) {
    const [name = '', value = ''] = line.split(/:\s*/, 2);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

async function send(
  chunk: Buffer,
  response: ServerResponse,
  behaviour: GitHttpBehaviour,
  sent: number,
): Promise<number> {
  if (behaviour.kind === 'stall' && sent + chunk.length >= behaviour.afterBytes) {
    response.write(chunk.subarray(0, Math.max(0, behaviour.afterBytes - sent)));
    await new Promise((resolve) => response.once('close', resolve));
    throw new Error('the client closed the connection');
  }
  if (behaviour.kind === 'slow') {
    const step = Math.max(1, Math.floor(behaviour.bytesPerSecond / 20));
    for (let at = 0; at < chunk.length && !response.destroyed; at += step) {
      response.write(chunk.subarray(at, at + step));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } else {
    response.write(chunk);
  }
  return chunk.length;
}
