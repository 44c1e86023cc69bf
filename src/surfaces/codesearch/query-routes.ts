import type { FastifyInstance } from 'fastify';
import type { SearchResult } from '../../backends/codesearch/port.ts';
import { rankBody, searchBody } from '../../backends/codesearch/remote/protocol/search.ts';
import { pastBody, sourceBody } from '../../backends/codesearch/remote/protocol/source.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { answerLines } from './answer-lines.ts';
import { parseBody } from './parse-body.ts';
import type { ServiceDeps } from './service-deps.ts';

/** Registers the search and source routes. A disconnect aborts the work on the request. */
export function queryRoutes(server: FastifyInstance, { search, sources }: ServiceDeps): void {
  server.post('/search', async (request, reply) => {
    const { scope, request: query } = parseBody(searchBody, request.body);
    return answerLines(reply, searchLines(await search.search(scope, query, disconnectSignal(reply))));
  });
  server.post('/rank', async (request, reply) => {
    const { scope, request: query } = parseBody(rankBody, request.body);
    return search.rank(scope, query, disconnectSignal(reply));
  });
  server.post('/read', async (request, reply) => {
    const { scope, request: query } = parseBody(sourceBody, request.body);
    return { file: (await sources.readFile(scope, query, disconnectSignal(reply))) ?? null };
  });
  server.post('/tree', async (request, reply) => {
    const { scope, request: query } = parseBody(sourceBody, request.body);
    return { tree: (await sources.listTree(scope, query, disconnectSignal(reply))) ?? null };
  });
  server.post('/past', async (request, reply) => {
    const { scope, request: query } = parseBody(pastBody, request.body);
    return { past: (await sources.readPast(scope, query, disconnectSignal(reply))) ?? null };
  });
}

/**
 * Streams a search result one file at a time, at the speed of the reader. The order is known once the search is
 * complete.
 */
async function* searchLines({ files, ...summary }: SearchResult): AsyncGenerator<unknown, void> {
  for (const file of files) yield { file };
  yield { summary };
}
