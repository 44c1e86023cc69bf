import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  indexHead,
  removeBody,
  statusQuery,
  tidyBody,
} from '../../backends/codesearch/remote/protocol/index-work.ts';
import { protocolNumber } from '../../backends/codesearch/remote/protocol/version.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { answerLines } from './answer-lines.ts';
import { parseBody, parseJson } from './parse-body.ts';
import { receiveUpload } from './receive-upload.ts';
import type { ServiceDeps } from './service-deps.ts';
import { stopping } from './stopping.ts';
import { workLines } from './work-lines.ts';

/** Work on indexes, and what is known of them. A caller who goes away ends the work: it is asked for again. */
export function indexRoutes(server: FastifyInstance, deps: ServiceDeps): void {
  const { hosted, draining } = deps;
  // The body is no JSON to be held in memory: it is taken in piece by piece.
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
  server.post('/tidy', { config: { startsWork: true } }, async (request, reply) => {
    const signal = AbortSignal.any([disconnectSignal(reply), draining]);
    const work = parseBody(tidyBody, request.body);
    return answerLines(
      reply,
      workLines((onProgress) => hosted.tidy({ ...work, onProgress }, signal)),
    );
  });
  server.post('/remove', async (request, reply) => {
    const { scope, repositoryId } = parseBody(removeBody, request.body);
    await hosted.remove(scope, repositoryId);
    return reply.code(204).send();
  });
  server.get('/status', (request) => statusAnswer(deps, request.query));
}

/** Of one repository, as far as is asked for; of the service where none is named. */
async function statusAnswer({ hosted, draining, ...deps }: ServiceDeps, query: unknown): Promise<unknown> {
  const asked = parseBody(statusQuery, query);
  if (!('part' in asked)) {
    const ready = !draining.aborted && (await deps.unready()) === undefined;
    return { version: deps.version, protocol: protocolNumber, ready };
  }
  const scope = { organizationId: asked.organizationId, orgSlug: '' };
  switch (asked.part) {
    case 'index':
      return { status: (await hosted.status(scope, asked.repositoryId)) ?? null };
    case 'damage':
      return { damaged: await hosted.isDamaged(scope, asked.repositoryId) };
    case 'commits':
      return { commits: await hosted.commits(scope, asked.repositoryId) };
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `true` where a process on its way out takes nothing on any more. */
    startsWork?: boolean;
  }
}
