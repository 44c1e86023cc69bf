import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Certificate } from './certificate-authority.ts';

/** How a Git host misbehaves; changed while it runs. */
export type GitHttpBehaviour =
  | { readonly kind: 'well' }
  /** Sends every request to another origin, with the same path and query. */
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'ask-password' }
  /** Accepts the connection and says nothing. */
  | { readonly kind: 'silent' }
  /** Answers the first bytes of the pack, then nothing. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  | { readonly kind: 'fail'; readonly status: number };

export interface GitHttpServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or https. */
  readonly origin: string;
  behaviour: GitHttpBehaviour;
  /** TCP connections so far. */
  connections: number;
  /** Method and path of each request so far. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Git's smart HTTP protocol on loopback, answered by `git http-backend` for the bare repositories under `root`. */
export async function startGitHttpServer(options: {
  readonly root: string;
  readonly tls?: Certificate;
}): Promise<GitHttpServer> {
  const sockets = new Set<Socket>();
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    server.requests.push(`${message.method} ${message.url}`);
    respond(server.behaviour, options.root, message, response);
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
    connections: 0,
    requests: [],
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return server;
}

function respond(
  behaviour: GitHttpBehaviour,
  root: string,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  switch (behaviour.kind) {
    case 'silent':
      return;
    case 'redirect':
      response.writeHead(302, { location: `${behaviour.to}${message.url}` }).end();
      return;
    case 'ask-password':
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end();
      return;
    case 'fail':
      response.writeHead(behaviour.status).end();
      return;
    case 'well':
    case 'stall':
    case 'slow':
      runBackend(root, message, response, behaviour);
  }
}

/** One CGI call (RFC 3875): request body in, a header block and the answer's body out. */
function runBackend(
  root: string,
  message: IncomingMessage,
  response: ServerResponse,
  behaviour: GitHttpBehaviour,
): void {
  const url = new URL(message.url ?? '/', 'http://127.0.0.1');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: message.method,
      CONTENT_TYPE: message.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: message.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(message.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => undefined);
  response.once('close', () => backend.kill());
  message.pipe(backend.stdin);
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
    throw new Error('the other side went away');
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
