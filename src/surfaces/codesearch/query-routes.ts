import type { FastifyInstance } from 'fastify';
import type { SearchResult } from '../../backends/codesearch/port.ts';
import { rankBody, searchBody } from '../../backends/codesearch/remote/protocol/search.ts';
import { sourceBody } from '../../backends/codesearch/remote/protocol/source.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { answerLines } from './answer-lines.ts';
import { parseBody } from './parse-body.ts';
import type { ServiceDeps } from './service-deps.ts';

/** Questions. A caller who goes away ends the work on theirs. */
export function queryRoutes(server: FastifyInstance, { search, sources }: ServiceDeps): void {
  server.post('/search', async (request, reply) => {
    const { scope, request: asked } = parseBody(searchBody, request.body);
    return answerLines(reply, searchLines(await search.search(scope, asked, disconnectSignal(reply))));
  });
  server.post('/rank', async (request, reply) => {
    const { scope, request: asked } = parseBody(rankBody, request.body);
    return search.rank(scope, asked, disconnectSignal(reply));
  });
  server.post('/read', async (request, reply) => {
    const { scope, request: asked } = parseBody(sourceBody, request.body);
    return { file: (await sources.readFile(scope, asked, disconnectSignal(reply))) ?? null };
  });
  server.post('/tree', async (request, reply) => {
    const { scope, request: asked } = parseBody(sourceBody, request.body);
    return { tree: (await sources.listTree(scope, asked, disconnectSignal(reply))) ?? null };
  });
}

/** The engine knows the order when it knows all; from then on files go out one by one, at the reader's speed. */
async function* searchLines({ files, ...summary }: SearchResult): AsyncGenerator<unknown, void> {
  for (const file of files) yield { file };
  yield { summary };
}
