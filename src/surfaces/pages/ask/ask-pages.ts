import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { AskOptions } from '../../../features/advisor/ask.ts';
import { maxPromptCharacters } from '../../../features/advisor/ask.ts';
import {
  askInConversation,
  askInNewConversation,
  type ConversationsDeps,
} from '../../../features/conversations/ask-in-conversation.ts';
import { conversationLimits, noSuchConversation } from '../../../features/conversations/conversation.ts';
import { listConversations } from '../../../features/conversations/conversation-store.ts';
import {
  getConversation,
  getMessages,
  removeConversation,
} from '../../../features/conversations/own-conversations.ts';
import { type ConversationId, isUuid } from '../../../foundation/kernel/ids.ts';
import { type AppPage, maxFormBytes, type Visit } from '../app/app-page.ts';
import { checkFields, filled, formErrorsOf } from '../kit/forms/check-fields.ts';
import type { FieldErrors } from '../kit/forms/form.ts';
import type { PageContext } from '../pages-deps.ts';
import { askView, deleteView, questionId, threadView } from './ask-view.ts';

const path = '/ask';
const thread = '/ask/:conversationId';
const deletion = '/ask/:conversationId/delete';
const own = { role: 'member', section: 'Ask' } as const;

const fields = z.object({ prompt: filled('Enter a question.', maxPromptCharacters) });

/**
 * The pages that answer questions with citations, and show the conversations of the person. A question is part of a
 * form and never of an address.
 */
export const askPages: readonly AppPage[] = [
  { ...own, path, method: 'GET', handle: (visit, context) => showAsk(visit, context) },
  { ...own, path, method: 'POST', form: { page: path, maxBytes: maxFormBytes }, handle: startConversation },
  { ...own, path: thread, method: 'GET', handle: (visit, context) => showThread(visit, context) },
  {
    ...own,
    path: thread,
    method: 'POST',
    form: { page: thread, maxBytes: maxFormBytes },
    handle: continueConversation,
  },
  { ...own, path: deletion, method: 'GET', handle: showDeletion },
  { ...own, path: deletion, method: 'POST', form: { page: deletion }, handle: deleteConversation },
];

/** Number of conversations on a page of the list. */
const listed = 20;

async function showAsk(visit: Visit, context: PageContext, errors?: FieldErrors): Promise<FastifyReply> {
  const { queries } = depsOf(context).database;
  const page = { limit: listed, cursor: visit.query('cursor') };
  const conversations = await listConversations(queries, visit.scope, userOf(visit), page);
  return visit.show(askView(visit, { conversations, ...(errors && { errors }) }));
}

async function showThread(visit: Visit, context: PageContext, errors?: FieldErrors): Promise<FastifyReply> {
  const deps = depsOf(context);
  const id = idOf(visit);
  const conversation = await getConversation(deps, visit.scope, userOf(visit), id);
  const page = { limit: conversationLimits.messages };
  const { items: messages } = await getMessages(deps, visit.scope, userOf(visit), id, page);
  return visit.show(threadView(visit, { conversation, messages, ...(errors && { errors }) }));
}

async function startConversation(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return showAsk(visit, context, errors);
  try {
    const options = optionsOf(visit);
    const asked = await askInNewConversation(depsOf(context), visit.scope, values.prompt, options);
    return visit.seeOther(`/ask/${asked.conversationId}`);
  } catch (error) {
    return showAsk(visit, context, formErrorsOf(error, ['prompt']));
  }
}

async function continueConversation(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const id = idOf(visit);
  await getConversation(depsOf(context), visit.scope, userOf(visit), id);
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return showThread(visit, context, errors);
  try {
    const question = { id, content: values.prompt };
    const asked = await askInConversation(depsOf(context), visit.scope, question, optionsOf(visit));
    return visit.seeOther(`/ask/${id}#${questionId(asked.question.id)}`);
  } catch (error) {
    return showThread(visit, context, formErrorsOf(error, ['prompt']));
  }
}

async function showDeletion(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return visit.show(
    deleteView(visit, await getConversation(depsOf(context), visit.scope, userOf(visit), idOf(visit))),
  );
}

async function deleteConversation(visit: Visit, context: PageContext): Promise<FastifyReply> {
  await removeConversation(depsOf(context), visit.scope, userOf(visit), idOf(visit));
  return visit.seeOther(path);
}

function depsOf({ answers, knowledge, identity }: PageContext): ConversationsDeps {
  return { database: identity.database, clock: identity.clock, advisor: { ...answers, knowledge } };
}

function userOf(visit: Visit): AskOptions['userId'] {
  return visit.access.principal.userId;
}

function optionsOf(visit: Visit): AskOptions {
  return { userId: userOf(visit), signal: visit.signal };
}

/** Returns the conversation that the address names. @throws NotFound */
function idOf(visit: Visit): ConversationId {
  const id = visit.param('conversationId');
  if (isUuid(id)) return id as ConversationId;
  throw noSuchConversation();
}
