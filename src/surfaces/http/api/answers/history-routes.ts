import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { HistoryDeps } from '../../../../features/history/history-deps.ts';
import { commitRecord, historyPageRecord } from '../../../../features/history/history-record.ts';
import { diffBytes, readCommitPage } from '../../../../features/history/read-commit.ts';
import { readHistory } from '../../../../features/history/read-history.ts';
import { given } from '../../../../foundation/kernel/wire/given.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { problemResponses } from '../../problem.ts';
import {
  linesOf,
  linesText,
  organizationPath,
  pageQuery,
  repositoryIdOf,
  repositoryPath,
  scopeOf,
} from '../request-parts.ts';

const tags = ['History'];

const maxText = 4_096;
const text = z.string().min(1).max(maxText);
const time = z.string().min(1).max(40);

const historyQuery = pageQuery.extend({
  address: text
    .optional()
    .describe(
      '`repository/path`, `repository/path:10-20` or `repository/path@commit`; without a path, the repository.',
    ),
  repository: text.optional().describe('Name or id. Default: all repositories.'),
  path: text
    .optional()
    .describe(
      'File, followed through renames, or folder of the repository; without `repository`, an address.',
    ),
  lines: linesText.describe('Lines of `path`: `10-20`, `10` or `10-`.'),
  query: text.optional().describe('Words that the message must all contain.'),
  text: text
    .max(200)
    .optional()
    .describe('Text that a commit added or removed: it changed how often a file has it. Needs a repository.'),
  since: time.optional().describe('Date or time, inclusive; a date is a day in UTC.'),
  until: time.optional().describe('Date or time, inclusive.'),
  author: text.optional().describe('A part of the name or email of the author.'),
});

const commitPath = repositoryPath.extend({
  commit: z.string().max(64).describe('Id of the commit, complete or shortened to 7 digits or more.'),
});

const commitQuery = z.object({
  path: text.optional().describe('Only this file, by its new or its former path, or this folder.'),
  lines: linesText.describe(
    'Only changes that touch these lines of the new version: `10-20`, `10` or `10-`.',
  ),
  bytes: z.coerce
    .number()
    .int()
    .min(diffBytes.min)
    .max(diffBytes.max)
    .default(diffBytes.default)
    .describe('Maximum size of `diff`.'),
  cursor: pageQuery.shape.cursor,
});

export function historyRoutes(deps: HistoryDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/history',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'listHistory',
          tags,
          summary: 'Commits of lines, a file, a folder, a repository or all of them, newest first',
          params: organizationPath,
          querystring: historyQuery,
          response: { 200: historyPageRecord, ...problemResponses(400, 401, 403, 404, 413, 429, 503) },
        },
      },
      (request, reply) => readHistory(deps, scopeOf(request), given(request.query), disconnectSignal(reply)),
    );

    server.get(
      '/repositories/:id/commits/:commit',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getCommit',
          tags,
          summary: 'A commit with its message, files and difference, a page at a time',
          params: commitPath,
          querystring: commitQuery,
          response: { 200: commitRecord, ...problemResponses(400, 401, 403, 404, 429, 503) },
        },
      },
      (request, reply) => {
        const { id, commit } = request.params;
        const { lines, ...query } = request.query;
        const input = given({ repository: repositoryIdOf(id), commit, ...query, lines: linesOf(lines) });
        return readCommitPage(deps, scopeOf(request), input, disconnectSignal(reply));
      },
    );
  };
}
