import type { FastifyInstance } from 'fastify';
import { loggedPath } from './request-log.ts';

/** A request as the log names it: without query, body and headers. */
export interface RecentRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

/** Maximum number of requests that are remembered after their end. */
const maxEnded = 50;

/** The requests that a server is answering, and those that it answered since they were last taken. */
export class RecentRequests {
  readonly #open = new Set<RecentRequest>();
  #ended: RecentRequest[] = [];

  /** Records the requests of a server. */
  record(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) => {
      const recent = { requestId: request.id, method: request.method, path: loggedPath(request) };
      this.#open.add(recent);
      reply.raw.once('close', () => {
        this.#open.delete(recent);
        if (this.#ended.length < maxEnded) this.#ended.push(recent);
      });
    });
  }

  /** Returns the requests in progress and those that ended since the last call, newest first. */
  take(): readonly RecentRequest[] {
    const ended = this.#ended;
    this.#ended = [];
    return [...this.#open, ...ended].toReversed();
  }
}
