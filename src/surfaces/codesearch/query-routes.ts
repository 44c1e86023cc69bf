import type { FastifyInstance, FastifyReply } from 'fastify';
import { listedFiles, type OnStart, type SearchResult } from '../../backends/codesearch/port.ts';
import { rankBody, searchBody } from '../../backends/codesearch/remote/protocol/search.ts';
import {
  commitsBody,
  diffBody,
  historyBody,
  sourceBody,
} from '../../backends/codesearch/remote/protocol/source.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { answerLines } from './answer-lines.ts';
import { parseBody } from './parse-body.ts';
import type { ServiceDeps } from './service-deps.ts';

/** Registers the search and source routes. A disconnect aborts the work on the request. */
export function queryRoutes(server: FastifyInstance, { search, sources }: ServiceDeps): void {
  server.post('/search', async (request, reply) => {
    const { scope, request: query } = parseBody(searchBody, request.body);
    const run = (onStart: OnStart) => search.search(scope, query, disconnectSignal(reply), onStart);
    return answerTask(reply, run, searchLines);
  });
  server.post('/rank', async (request, reply) => {
    const { scope, request: query } = parseBody(rankBody, request.body);
    const run = (onStart: OnStart) => search.rank(scope, query, disconnectSignal(reply), onStart);
    return answerTask(reply, run, (ranking) => [{ ranking }]);
  });
  server.post('/read', async (request, reply) => {
    const { scope, request: query } = parseBody(sourceBody, request.body);
    return { file: (await sources.readFile(scope, query, disconnectSignal(reply))) ?? null };
  });
  server.post('/tree', async (request, reply) => {
    const { scope, request: query } = parseBody(sourceBody, request.body);
    return { tree: (await sources.listTree(scope, query, disconnectSignal(reply))) ?? null };
  });
  server.post('/commits', async (request, reply) => {
    const { scope, request: query } = parseBody(commitsBody, request.body);
    return { commits: await sources.findCommits(scope, query, disconnectSignal(reply)) };
  });
  server.post('/history', async (request, reply) => {
    const { scope, request: query } = parseBody(historyBody, request.body);
    return { history: (await sources.readHistory(scope, query, disconnectSignal(reply))) ?? null };
  });
  server.post('/diff', async (request, reply) => {
    const { scope, request: query } = parseBody(diffBody, request.body);
    return { diff: (await sources.readDiff(scope, query, disconnectSignal(reply))) ?? null };
  });
}

/**
 * Streams that a task started, then its result. An error before the start is thrown, so that the response has its
 * status.
 */
async function answerTask<Result>(
  reply: FastifyReply,
  run: (onStart: OnStart) => Promise<Result>,
  linesOf: (result: Result) => Iterable<unknown>,
): Promise<FastifyReply> {
  const started = Promise.withResolvers<void>();
  const running = run(started.resolve);
  await Promise.race([started.promise, running]);
  const lines = async function* (): AsyncGenerator<unknown, void> {
    yield { started: true };
    yield* linesOf(await running);
  };
  // An error that comes before the stream is read is reported by the stream.
  running.catch(() => undefined);
  return answerLines(reply, lines());
}

/**
 * Streams a search result one file at a time, at the speed of the reader. The order is known once the search is
 * complete.
 */
function* searchLines({ files, listed, ...summary }: SearchResult): Generator<unknown, void> {
  for (const file of files) yield { file };
  for (const list of listed?.repositories ?? []) {
    const { repository, commit } = list;
    for (const [path, lines] of listedFiles(list))
      yield { listed: { repository, commit, path, lines: [...lines] } };
  }
  yield { summary: { ...summary, unlisted: listed?.unlisted } };
}
