import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type AnswerDeps, gatherEvidence } from '../../../features/advisor/gather-evidence.ts';
import { maxPromptCharacters } from '../../../features/advisor/prompt-limit.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { disconnectSignal } from '../../fastify/disconnect.ts';
import { problemResponses } from '../problem.ts';
import { given } from './given.ts';
import { organizationPath, scopeOf } from './request-parts.ts';

const question = z.strictObject({
  prompt: z
    .string()
    .max(maxPromptCharacters, `must have at most ${maxPromptCharacters} characters`)
    .regex(/\S/, 'must not be empty'),
  limit: z.int().min(1).max(100).optional().describe('Pieces of evidence; default 20.'),
  budgetTokens: z.int().min(200).max(32_000).optional().describe('Of all excerpts together; default 8000.'),
});

const evidence = z.object({
  rank: z.int().describe('1 for the best.'),
  kind: z.enum(['code']),
  repository: z.string(),
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  commit: z.string(),
  uri: z.string(),
  url: z.string(),
  title: z.string(),
  excerpt: z.string(),
  score: z.number(),
  reasons: z.array(z.string()).readonly(),
});

const pack = z
  .object({
    items: z.array(evidence).readonly(),
    entities: z.array(z.never()).describe('Entities of the knowledge graph; empty until there is one.'),
    truncated: z.boolean().describe('The limit or the budget cut the list.'),
    freshness: z.array(
      z.object({ repository: z.string(), indexedCommit: z.string(), indexedAt: z.iso.datetime() }),
    ),
  })
  .meta({ id: 'ContextPack' });

export function contextRoutes(deps: AnswerDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.post(
      '/context',
      {
        config: { role: 'member' },
        schema: {
          operationId: 'gatherContext',
          tags: ['Context'],
          summary: 'The evidence for a prompt, best first, without prose',
          params: organizationPath,
          body: question,
          response: { 200: pack, ...problemResponses(400, 401, 403, 413, 415, 429, 503) },
        },
      },
      async (request, reply) => {
        const found = await gatherEvidence(
          deps,
          scopeOf(request),
          given(request.body),
          disconnectSignal(reply),
        );
        return {
          items: found.items,
          entities: [],
          truncated: found.truncated,
          freshness: found.freshness.map((state) => ({ ...state, indexedAt: isoTime(state.indexedAt) })),
        };
      },
    );
  };
}
