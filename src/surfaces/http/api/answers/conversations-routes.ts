import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AskOptions } from '../../../../features/advisor/ask.ts';
import { maxPromptCharacters } from '../../../../features/advisor/ask.ts';
import {
  askInConversation,
  type ConversationsDeps,
} from '../../../../features/conversations/ask-in-conversation.ts';
import { conversationLimits } from '../../../../features/conversations/conversation.ts';
import {
  answeredRecord,
  conversationRecord,
  messageRecord,
  toAnsweredRecord,
  toConversationRecord,
  toMessageRecord,
} from '../../../../features/conversations/conversation-record.ts';
import { listConversations } from '../../../../features/conversations/conversation-store.ts';
import {
  createConversation,
  getConversation,
  getMessages,
  removeConversation,
} from '../../../../features/conversations/own-conversations.ts';
import type { UserId } from '../../../../foundation/kernel/ids.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { prefersType } from '../../../fastify/accept.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import {
  conversationIdOf,
  conversationPath,
  organizationPath,
  pageQuery,
  scopeOf,
} from '../request-parts.ts';
import { streamAnswer } from './answer-stream.ts';
import { eventStreamType } from './event-stream.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Conversations'];
const config = { role: 'member' } as const;

/** Conversations of the caller. Those of other members of the organization do not exist for them. */
export function conversationsRoutes(deps: ConversationsDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveCreate(server, deps);
    serveOne(server, deps);
    serveRemove(server, deps);
    serveMessages(server, deps);
    serveAsk(server, deps);
  };
}

function userOf(request: FastifyRequest): UserId {
  return accessOf(request).principal.userId;
}

function serveList(server: Server, { database }: ConversationsDeps): void {
  server.get(
    '/conversations',
    {
      config,
      schema: {
        operationId: 'listConversations',
        tags,
        summary: 'Conversations of the caller, newest first',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: pageRecord(conversationRecord), ...problemResponses(400, 401, 403, 429) },
      },
    },
    async (request) => {
      const { queries } = database;
      const page = await listConversations(queries, scopeOf(request), userOf(request), request.query);
      return { items: page.items.map(toConversationRecord), nextCursor: page.nextCursor };
    },
  );
}

const newConversation = z
  .strictObject({
    title: z
      .string()
      .max(conversationLimits.title)
      .regex(/\S/, 'must not be empty')
      .nullish()
      .describe('Default: the beginning of the first question.'),
  })
  .nullish();

function serveCreate(server: Server, deps: ConversationsDeps): void {
  server.post(
    '/conversations',
    {
      config,
      schema: {
        operationId: 'createConversation',
        tags,
        summary: 'Start a conversation; beyond 100 it replaces the one used least recently',
        params: organizationPath,
        body: newConversation,
        response: { 201: conversationRecord, ...problemResponses(400, 401, 403, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const given = { title: request.body?.title ?? undefined };
      const created = await createConversation(deps, scopeOf(request), userOf(request), given);
      return reply.code(201).send(toConversationRecord(created));
    },
  );
}

function serveOne(server: Server, deps: ConversationsDeps): void {
  server.get(
    '/conversations/:id',
    {
      config: { ...config, conditional: true },
      schema: {
        operationId: 'getConversation',
        tags,
        summary: 'One conversation of the caller',
        params: conversationPath,
        response: { 200: conversationRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    async (request) => {
      const id = conversationIdOf(request.params.id);
      return toConversationRecord(await getConversation(deps, scopeOf(request), userOf(request), id));
    },
  );
}

function serveRemove(server: Server, deps: ConversationsDeps): void {
  server.delete(
    '/conversations/:id',
    {
      config,
      schema: {
        operationId: 'deleteConversation',
        tags,
        summary: 'Delete a conversation of the caller with its messages',
        params: conversationPath,
        response: { 204: z.null().describe('It is deleted.'), ...problemResponses(401, 403, 404, 429) },
      },
    },
    async (request, reply) => {
      const id = conversationIdOf(request.params.id);
      await removeConversation(deps, scopeOf(request), userOf(request), id);
      return reply.code(204).send(null);
    },
  );
}

function serveMessages(server: Server, deps: ConversationsDeps): void {
  server.get(
    '/conversations/:id/messages',
    {
      config,
      schema: {
        operationId: 'listMessages',
        tags,
        summary: 'Questions and answers of a conversation, oldest first',
        params: conversationPath,
        querystring: pageQuery,
        response: { 200: pageRecord(messageRecord), ...problemResponses(400, 401, 403, 404, 429) },
      },
    },
    async (request) => {
      const id = conversationIdOf(request.params.id);
      const page = await getMessages(deps, scopeOf(request), userOf(request), id, request.query);
      return { items: page.items.map(toMessageRecord), nextCursor: page.nextCursor };
    },
  );
}

const newMessage = z.strictObject({
  content: z
    .string()
    .max(maxPromptCharacters, `must have at most ${maxPromptCharacters} characters`)
    .regex(/\S/, 'must not be empty')
    .describe('The question. A follow-up question may refer to what the conversation names.'),
});

const answered = {
  description: 'The question and its answer.',
  content: { 'application/json': { schema: answeredRecord } },
};

const followed = {
  description: `With \`Accept: ${eventStreamType}\`, the answer is sent as events: \`status\` (\`{message}\`) at once, at each step and every ten seconds; \`delta\` (\`{text}\`) with pieces of the text; \`citations\` (\`{citations}\`); \`done\` with the stored question and answer. After an error, \`error\` (a problem) is sent in place of \`citations\` and \`done\`.`,
  content: { [eventStreamType]: { schema: z.string() } },
};

function serveAsk(server: Server, deps: ConversationsDeps): void {
  server.post(
    '/conversations/:id/messages',
    {
      config,
      schema: {
        operationId: 'createMessage',
        tags,
        summary: 'Ask a question in a conversation; stored together with its answer',
        params: conversationPath,
        body: newMessage,
        response: {
          200: followed,
          201: answered,
          ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 503),
        },
      },
    },
    async (request, reply) => {
      const question = { id: conversationIdOf(request.params.id), content: request.body.content };
      const scope = scopeOf(request);
      const options: AskOptions = { userId: userOf(request), signal: disconnectSignal(reply) };
      if (!prefersType(request, eventStreamType, 'application/json')) {
        const record = toAnsweredRecord(await askInConversation(deps, scope, question, options));
        return reply.code(201).type('application/json').send(record);
      }
      return await streamAnswer(request, reply, (hooks) =>
        askInConversation(deps, scope, question, { ...options, ...hooks }),
      );
    },
  );
}
