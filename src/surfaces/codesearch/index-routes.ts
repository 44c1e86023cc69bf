import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  indexHead,
  removeBody,
  statusQuery,
  upkeepBody,
} from '../../backends/codesearch/remote/protocol/index-work.ts';
import { protocolNumber } from '../../backends/codesearch/remote/protocol/version.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { answerLines } from './answer-lines.ts';
import { parseBody, parseJson } from './parse-body.ts';
import { receiveUpload } from './receive-upload.ts';
import type { ServiceDeps } from './service-deps.ts';
import { stopping } from './stopping.ts';
import { workLines } from './work-lines.ts';

/**
 * Registers the routes that change indexes and report their status. A disconnect aborts the work; callers retry it.
 */
export function indexRoutes(server: FastifyInstance, deps: ServiceDeps): void {
  const { hosted, draining } = deps;
  // The body is streamed to a file instead of being buffered in memory.
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  server.addHook('onRequest', async (request) => {
    if (draining.aborted && request.routeOptions.config?.startsWork === true) throw stopping();
  });

  server.post('/index', { config: { startsWork: true } }, async (request, reply) => {
    const signal = AbortSignal.any([disconnectSignal(reply), draining]);
    await using received = new AsyncDisposableStack();
    const limits = { folder: deps.incoming, ...deps.upload };
    const { head, file: bundle } = received.use(
      await receiveUpload(request.body as Readable, limits, signal),
    );
    const { shallow, ...work } = parseJson(indexHead, head);
    const kept = received.move();
    const lines = workLines(async (onProgress) => {
      try {
        return await hosted.apply({ ...work, bundle, shallow, onProgress }, signal);
      } finally {
        await kept.disposeAsync();
      }
    });
    return answerLines(reply, lines);
  });
  for (const upkeep of ['define', 'compact'] as const) {
    server.post(`/${upkeep}`, { config: { startsWork: true } }, async (request, reply) => {
      const signal = AbortSignal.any([disconnectSignal(reply), draining]);
      const work = parseBody(upkeepBody, request.body);
      return answerLines(
        reply,
        workLines((onProgress) => hosted[upkeep]({ ...work, onProgress }, signal)),
      );
    });
  }
  server.post('/remove', async (request, reply) => {
    const { scope, repositoryId } = parseBody(removeBody, request.body);
    await hosted.remove(scope, repositoryId);
    return reply.code(204).send();
  });
  server.get('/status', (request) => statusAnswer(deps, request.query));
}

/** Returns the requested status of one repository, or that of the service if the query names none. */
async function statusAnswer({ hosted, draining, ...deps }: ServiceDeps, query: unknown): Promise<unknown> {
  const wanted = parseBody(statusQuery, query);
  if (!('part' in wanted)) {
    const ready = !draining.aborted && (await deps.unready()) === undefined;
    return { version: deps.version, protocol: protocolNumber, ready };
  }
  const scope = { organizationId: wanted.organizationId };
  switch (wanted.part) {
    case 'index':
      return { status: (await hosted.status(scope, wanted.repositoryId)) ?? null };
    case 'damage':
      return { damaged: await hosted.isDamaged(scope, wanted.repositoryId) };
    case 'commits':
      return { commits: await hosted.commits(scope, wanted.repositoryId) };
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if a process that is shutting down refuses requests to this route. */
    startsWork?: boolean;
  }
}
