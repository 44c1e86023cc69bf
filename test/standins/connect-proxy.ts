import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Certificate } from './certificate-authority.ts';

/** The behaviour of the proxy; tests change it while it runs. */
export type ProxyBehaviour =
  | { readonly kind: 'well' }
  /** Refuses every request with this status. */
  | { readonly kind: 'refuse'; readonly status: number }
  /** Reads requests and never responds. */
  | { readonly kind: 'silent' }
  /** Closes the connection instead of a response. */
  | { readonly kind: 'reset' };

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** URL without credentials. */
  readonly url: string;
  behaviour: ProxyBehaviour;
  /** Required credentials as `user:password`. Default: none are required. */
  credentials: string | undefined;
  /** The proxy's own resolver: names and their port on loopback. Other names are refused with 502. */
  readonly hosts: Map<string, number>;
  /** Method and target of each request so far: `CONNECT host:port`, `GET http://host/path`. */
  readonly requests: string[];
}

/** Starts an HTTP proxy on loopback: tunnels for CONNECT, and forwarding of whole http requests (RFC 9110). */
export async function startConnectProxy(tls?: Certificate): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('request', (message, response) => forward(proxy, message, response));
  server.on('connect', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    tunnel(proxy, message, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: ConnectProxy = {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://localhost:${port}`,
    behaviour: { kind: 'well' },
    credentials: undefined,
    hosts: new Map(),
    requests: [],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function tunnel(proxy: ConnectProxy, message: IncomingMessage, socket: Socket, head: Buffer): void {
  const refusal = refusalOf(proxy, message);
  if (refusal === 'silent') return;
  if (refusal === 'reset') return void socket.destroy();
  const port = proxy.hosts.get(nameOf(message.url ?? ''));
  const status = refusal ?? (port === undefined ? 502 : 200);
  if (status !== 200 || port === undefined) {
    socket.end(
      `HTTP/1.1 ${status} No\r\nproxy-authenticate: Basic realm="proxy"\r\ncontent-length: 0\r\n\r\n`,
    );
    return;
  }
  const target = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.once('close', () => target.destroy());
}

function forward(proxy: ConnectProxy, message: IncomingMessage, response: ServerResponse): void {
  const refusal = refusalOf(proxy, message);
  if (refusal === 'silent') return;
  if (refusal === 'reset') return void message.socket.destroy();
  const url = URL.parse(message.url ?? '');
  const port = proxy.hosts.get(url?.hostname ?? '');
  const status = refusal ?? (port === undefined ? 502 : 200);
  if (status !== 200 || port === undefined || url === null) {
    response.writeHead(status, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
    return;
  }
  const { 'proxy-authorization': _, ...headers } = message.headers;
  const path = `${url.pathname}${url.search}`;
  const sent = request({ host: '127.0.0.1', port, path, method: message.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  message.pipe(sent);
}

/** Records a request, and returns why it is refused: a status or a behaviour. */
function refusalOf(
  proxy: ConnectProxy,
  { method, url, headers }: IncomingMessage,
): number | 'silent' | 'reset' | undefined {
  proxy.requests.push(`${method} ${url}`);
  const { behaviour, credentials } = proxy;
  if (behaviour.kind === 'refuse') return behaviour.status;
  if (behaviour.kind !== 'well') return behaviour.kind;
  if (credentials === undefined) return undefined;
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return headers['proxy-authorization'] === expected ? undefined : 407;
}

function nameOf(authority: string): string {
  return authority.replace(/:\d+$/, '');
}
