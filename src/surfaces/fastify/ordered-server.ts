import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { InvalidInput, OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';
import { problemMediaType, problemOf } from './problem.ts';
import { retryAfterOf } from './retry-after.ts';

/** Maximum number of requests of one connection that wait for an earlier one. */
const maxWaiting = 32;

/** Maximum number of requests of one connection that are ignored after one was refused. */
const maxIgnored = 2_000;

interface Requests {
  readonly waiting: (() => void)[];
  isAnswering: boolean;
  /** Number of requests since one was refused, including that one. */
  refused: number;
}

/**
 * Creates a server that answers one request of a connection at a time. Node passes on all pipelined requests that it
 * reads at once, up to 64 KiB of them, so that one client could delay all others. Node would answer requests without
 * `Host` and with `Expect` by itself, all at once, so they are answered here.
 */
export function createOrderedServer(timeouts: ServerOptions, answer: RequestListener): Server {
  const inTurn = oneAtATime();
  return createServer({ ...timeouts, requireHostHeader: false })
    .on('request', inTurn(answer))
    .on(
      'checkContinue',
      inTurn((request, response) => {
        response.writeContinue();
        answer(request, response);
      }),
    )
    .on(
      'checkExpectation',
      inTurn((_request, response) => refuse(response, new UnknownExpectation())),
    );
}

/**
 * Returns a function that makes a listener wait for the earlier requests of a connection, also for those of its other
 * listeners. The next request starts in another turn of the event loop than its predecessor. Requests above the maximum
 * are refused once, and their connection is closed.
 */
function oneAtATime(): (answer: RequestListener) => RequestListener {
  const connections = new WeakMap<Socket, Requests>();

  return (answer) => (request, response) => {
    const { socket } = request;
    const requests = connections.get(socket) ?? { waiting: [], isAnswering: false, refused: 0 };
    connections.set(socket, requests);
    const start = (): void => {
      requests.isAnswering = true;
      response.once('close', () => {
        requests.isAnswering = false;
        if (requests.waiting.length > 0) setImmediate(next, socket, requests);
      });
      if (hasHost(request)) answer(request, response);
      else refuse(response, new InvalidInput(noHost));
    };
    if (requests.refused > 0) ignore(socket, requests);
    else if (!requests.isAnswering && requests.waiting.length === 0) start();
    else if (requests.waiting.length < maxWaiting) requests.waiting.push(start);
    else {
      requests.refused = 1;
      // Node sends this response after those of the requests that wait, and then closes the connection.
      refuse(response, new Unavailable('overloaded', tooMany, { retryAfter: 1 }));
    }
  };
}

function next(socket: Socket, requests: Requests): void {
  const start = requests.waiting.shift();
  // A connection that was closed meanwhile takes no response.
  if (socket.writable) start?.();
}

/** HTTP/1.1 requires `Host` (RFC 9112 section 3.2). */
function hasHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host !== undefined || httpVersion !== '1.1';
}

const noHost = 'The request has no Host header. HTTP/1.1 requires it.';
const tooMany = `More than ${maxWaiting} requests wait on this connection. Send the next one after a response.`;

/** The request expects what this server cannot do (RFC 9110 section 10.1.1). */
class UnknownExpectation extends OrgctxError {
  readonly status = 417;

  constructor() {
    super('validation_failed', 'The only supported value of the header Expect is "100-continue".');
  }
}

/** Answers without a route, and closes the connection. */
function refuse(response: ServerResponse, error: OrgctxError): void {
  const problem = problemOf(error, randomUUID());
  const retryAfter = retryAfterOf(error);
  response
    .writeHead(problem.status, {
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      connection: 'close',
    })
    .end(JSON.stringify(problem));
}

function ignore(socket: Socket, requests: Requests): void {
  requests.refused += 1;
  if (requests.refused > maxIgnored) socket.destroy();
}
