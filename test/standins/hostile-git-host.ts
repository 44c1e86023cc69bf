import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The attack of the Git host; tests change it while it runs. */
export type HostileBehaviour =
  /** Sends this response to every request, as `text/plain`, which Git prints. */
  | { readonly kind: 'refuse'; readonly status: number; readonly words: string }
  /** Sends an endless ref advertisement. */
  | { readonly kind: 'endless-greeting' }
  /** Advertises these packets among its capabilities, and has no branch. */
  | { readonly kind: 'greet'; readonly packets: readonly string[] }
  /** Lists these refs in addition to its branch, including names that Git would refuse. */
  | { readonly kind: 'offer'; readonly refs: readonly string[] }
  /** Offers a branch and accepts a push, but then sends an endless stream of progress messages. */
  | { readonly kind: 'endless-messages' };

export interface HostileGitHost {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  behaviour: HostileBehaviour;
  /** Bytes of responses written so far. */
  sent: number;
  close(): Promise<void>;
}

/** Starts a hostile loopback server of smart HTTP (gitprotocol-http(5), gitprotocol-v2(5)). */
export async function startHostileGitHost(behaviour: HostileBehaviour): Promise<HostileGitHost> {
  const listener = createServer((message, response) => {
    answer(host, message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const host: HostileGitHost = {
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    behaviour,
    sent: 0,
    close() {
      listener.closeAllConnections();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return host;
}

async function answer(
  host: HostileGitHost,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { behaviour } = host;
  const service = message.url?.endsWith('git-receive-pack') === true ? 'git-receive-pack' : 'git-upload-pack';
  if (behaviour.kind === 'refuse') {
    response.writeHead(behaviour.status, { 'content-type': 'text/plain' }).end(behaviour.words);
    return;
  }
  const part = message.method === 'GET' ? 'advertisement' : 'result';
  response.writeHead(200, { 'content-type': `application/x-${service}-${part}` });
  if (message.method === 'GET') return greet(host, service, response);
  const body = await text(message);
  if (body.includes('command=ls-refs')) {
    const refs = [packet(`${tip} HEAD symref-target:refs/heads/main\n`), packet(`${tip} refs/heads/main\n`)];
    const offered = behaviour.kind === 'offer' ? behaviour.refs.map((ref) => packet(`${tip} ${ref}\n`)) : [];
    response.end([...(behaviour.kind === 'greet' ? [] : refs), ...offered, '0000'].join(''));
    return;
  }
  if (service === 'git-upload-pack') response.write(packet('packfile\n'));
  await writeForever(host, response, packet(`\u0002${'words '.repeat(10_000)}\n`));
}

const tip = '1'.repeat(40);

async function greet(host: HostileGitHost, service: string, response: ServerResponse): Promise<void> {
  const { behaviour } = host;
  response.write(`${packet(`# service=${service}\n`)}0000`);
  if (behaviour.kind === 'endless-greeting') return writeForever(host, response, packet('x'.repeat(65_000)));
  if (service === 'git-receive-pack') {
    response.end(`${packet(`${'0'.repeat(40)} capabilities^{}\0report-status side-band-64k\n`)}0000`);
    return;
  }
  const packets = behaviour.kind === 'greet' ? behaviour.packets : [];
  const lines = ['version 2\n', 'ls-refs\n', 'fetch\n', 'object-format=sha1\n', ...packets];
  response.end(`${lines.map(packet).join('')}0000`);
}

/** Formats a pkt-line (gitprotocol-common(5)). */
function packet(line: string): string {
  return (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0') + line;
}

async function writeForever(host: HostileGitHost, response: ServerResponse, piece: string): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const pieces = Buffer.from(piece.repeat(16));
  while (!response.destroyed) {
    const drained = new Promise<void>((resolve) => response.once('drain', resolve));
    if (!response.write(pieces)) await Promise.race([drained, closed]);
    else await new Promise((resolve) => setImmediate(resolve));
    host.sent += pieces.length;
  }
}
