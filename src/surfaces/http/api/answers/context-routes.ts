import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AdvisorDeps } from '../../../../features/advisor/advisor-deps.ts';
import { answerRecord, toAnswerRecord } from '../../../../features/advisor/answer.ts';
import {
  type AskOptions,
  ask,
  collectContext,
  maxPromptCharacters,
} from '../../../../features/advisor/ask.ts';
import { contextRecord, toContextRecord } from '../../../../features/advisor/context-record.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, scopeOf } from '../request-parts.ts';

const question = z.strictObject({
  prompt: z
    .string()
    .max(maxPromptCharacters, `must have at most ${maxPromptCharacters} characters`)
    .regex(/\S/, 'must not be empty'),
});

/** Answers for the caller until it disconnects. */
function optionsOf(request: FastifyRequest, reply: FastifyReply): AskOptions {
  return { userId: accessOf(request).principal.userId, signal: disconnectSignal(reply) };
}

const limitedQuestion = question.extend({
  limit: z.int().min(1).max(100).optional().describe('Maximum number of pieces of evidence. Default: 20.'),
  budgetTokens: z
    .int()
    .min(200)
    .max(32_000)
    .optional()
    .describe('Maximum number of tokens of all excerpts together. Default: 8000.'),
});

const problems = problemResponses(400, 401, 403, 413, 415, 429, 503);

/** Named in the description of the API. */
const answerSchema = answerRecord.meta({ id: 'Answer' });

/** The advisor over REST: its answer, and its evidence without prose. */
export function contextRoutes(deps: AdvisorDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.post(
      '/ask',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'askAdvisor',
          tags: ['Context'],
          summary: 'The answer to a question, with its sources',
          description: 'Equals the answer of the MCP tool `svc_advisor`.',
          params: organizationPath,
          body: question,
          response: { 200: answerSchema, ...problems },
        },
      },
      async (request, reply) =>
        toAnswerRecord(await ask(deps, scopeOf(request), request.body, optionsOf(request, reply))),
    );
    server.post(
      '/context',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'searchContext',
          tags: ['Context'],
          summary: 'The evidence for a prompt, best first, without prose',
          params: organizationPath,
          body: limitedQuestion,
          response: { 200: contextRecord, ...problems },
        },
      },
      async (request, reply) => {
        const options = optionsOf(request, reply);
        const { prompt, ...limits } = request.body;
        return toContextRecord(await collectContext(deps, scopeOf(request), prompt, options), limits);
      },
    );
  };
}
