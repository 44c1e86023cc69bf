import { z } from 'zod';
import type { Queries } from '../../foundation/db/database.ts';
import { parseJsonColumn } from '../../foundation/db/json-column.ts';
import type { ConversationId, MessageId, UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { withoutNul } from '../../foundation/kernel/text/without-nul.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../foundation/kernel/wire/page.ts';
import { citationRecord } from '../advisor/answer.ts';
import { noticeRecord } from '../advisor/model/model-notice.ts';
import type { Exchange } from '../advisor/question/follow-up.ts';
import type { Message } from './conversation.ts';
import type { MessageRow } from './tables.ts';

const citations = z.array(citationRecord);

/** Lists the messages of a conversation of the user, the oldest first; none for a conversation of somebody else. */
export async function listMessages(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  conversationId: ConversationId,
  request: PageRequest = {},
): Promise<Page<Message>> {
  const { limit, after } = startAfter(request);
  let query = messagesOf(queries, scope, userId, conversationId)
    .orderBy('messages.id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('messages.id', '>', after);
  return pageOf((await query.execute()).map(toMessage), limit);
}

/** Returns the last questions of a conversation with the citations of their answers, the oldest first. */
export async function lastExchanges(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  conversationId: ConversationId,
  count: number,
): Promise<readonly Exchange[]> {
  const rows = await messagesOf(queries, scope, userId, conversationId)
    .orderBy('messages.id', 'desc')
    .limit(2 * count)
    .execute();
  const messages = rows.toReversed().map(toMessage);
  return messages.flatMap((question, index) => {
    const answer = messages[index + 1];
    if (question.role !== 'user' || answer === undefined) return [];
    return [{ question: question.content, citations: answer.citations ?? [] }];
  });
}

export async function insertMessages(
  tx: Queries,
  conversationId: ConversationId,
  messages: readonly Message[],
): Promise<void> {
  const rows = messages.map(
    (message): MessageRow => ({
      conversation_id: conversationId,
      id: message.id,
      role: message.role,
      // An answer may quote a file that contains a NUL; in a question the database refuses it.
      content: message.role === 'assistant' ? withoutNul(message.content) : message.content,
      citations: message.citations === undefined ? null : JSON.stringify(message.citations),
      model: message.model ?? null,
      notice: message.notice === undefined ? null : JSON.stringify(message.notice),
      created_at: message.createdAt,
    }),
  );
  await tx.insertInto('messages').values(rows).execute();
}

function messagesOf(queries: Queries, scope: OrgScope, userId: UserId, conversationId: ConversationId) {
  return queries
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversation_id')
    .where('conversations.organization_id', '=', scope.organizationId)
    .where('conversations.user_id', '=', userId)
    .where('messages.conversation_id', '=', conversationId)
    .selectAll('messages');
}

function toMessage(row: MessageRow): Message {
  const cited = parseJsonColumn(citations, row.citations);
  const notice = parseJsonColumn(noticeRecord, row.notice);
  return {
    id: row.id as MessageId,
    role: row.role,
    content: row.content,
    ...(cited === undefined ? {} : { citations: cited }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(notice === undefined ? {} : { notice }),
    createdAt: row.created_at,
  };
}
