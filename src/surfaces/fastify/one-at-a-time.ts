import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import { problemMediaType, problemOf } from './problem.ts';

/** Maximum number of requests of one connection that wait for an earlier one. */
const maxWaiting = 32;

/** Maximum number of requests of one connection that are ignored after one was refused. */
const maxIgnored = 2_000;

interface Requests {
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  isAnswering: boolean;
  /** Number of requests since one was refused, including it. 0 before. All but the refused one are ignored. */
  sinceRefusal: number;
}

/**
 * Limits a server to one request of a connection at a time. Node passes on all pipelined requests that it reads at
 * once, up to 64 KiB of them, so that one client could delay all others. The next request starts in another turn of the
 * event loop than its predecessor. Requests above the maximum are refused once, and their connection is closed.
 */
export function oneAtATime(answer: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Requests>();

  function start(socket: Socket, requests: Requests, request: IncomingMessage, response: ServerResponse) {
    requests.isAnswering = true;
    response.once('close', () => {
      requests.isAnswering = false;
      if (requests.waiting.length > 0) setImmediate(next, socket, requests);
    });
    answer(request, response);
  }

  function next(socket: Socket, requests: Requests): void {
    const waiting = requests.waiting.shift();
    // A connection that was closed meanwhile takes no response.
    if (waiting !== undefined && socket.writable) start(socket, requests, ...waiting);
  }

  return (request, response) => {
    const { socket } = request;
    const requests = connections.get(socket) ?? { waiting: [], isAnswering: false, sinceRefusal: 0 };
    connections.set(socket, requests);
    if (requests.sinceRefusal > 0) ignore(socket, requests);
    else if (!requests.isAnswering && requests.waiting.length === 0)
      start(socket, requests, request, response);
    else if (requests.waiting.length < maxWaiting) requests.waiting.push([request, response]);
    else refuse(requests, response);
  };
}

/** Node sends this response after those of the requests that wait, and then closes the connection. */
function refuse(requests: Requests, response: ServerResponse): void {
  requests.sinceRefusal = 1;
  const detail = `More than ${maxWaiting} requests wait on this connection. Send the next one after a response.`;
  const problem = problemOf(new Unavailable('overloaded', detail), randomUUID());
  response
    .writeHead(problem.status, {
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      'retry-after': '1',
      connection: 'close',
    })
    .end(JSON.stringify(problem));
}

function ignore(socket: Socket, requests: Requests): void {
  requests.sinceRefusal += 1;
  if (requests.sinceRefusal > maxIgnored) socket.destroy();
}
