import type { ExpressionBuilder } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import type { ConversationId, UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../foundation/kernel/wire/page.ts';
import { type Conversation, conversationLimits } from './conversation.ts';
import type { ConversationRow } from './tables.ts';

/** Lists the user's conversations, the newest first. @throws InvalidInput for an invalid limit or cursor */
export async function listConversations(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  request: PageRequest = {},
): Promise<Page<Conversation>> {
  const { limit, after } = startAfter(request);
  let query = queries
    .selectFrom('conversations')
    .selectAll()
    .where(ownedBy(scope, userId))
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '<', after);
  return pageOf((await query.execute()).map(toConversation), limit);
}

/** Returns a conversation of the user; `undefined` if they have none with the id. */
export async function findConversation(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
): Promise<(Conversation & { readonly askingUntil: number | undefined }) | undefined> {
  const row = await queries
    .selectFrom('conversations')
    .selectAll()
    .where(ownedBy(scope, userId))
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...toConversation(row), askingUntil: row.asking_until ?? undefined };
}

/** Inserts a conversation, and deletes those that the user used least recently beyond the maximum number. */
export async function insertConversation(tx: Queries, row: ConversationRow): Promise<Conversation> {
  await tx.insertInto('conversations').values(row).execute();
  const { organization_id: organizationId, user_id: userId, id } = row;
  const kept = tx
    .selectFrom('conversations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('id', '<>', id)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(conversationLimits.ofUser - 1);
  await tx
    .deleteFrom('conversations')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('id', '<>', id)
    .where('id', 'not in', kept)
    .execute();
  return toConversation(row);
}

/** Deletes a conversation of the user with its messages. Returns false if there was none. */
export async function deleteConversation(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom('conversations')
    .where(ownedBy(scope, userId))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The time of a question, and the time until which no other may be asked, which identifies the question. */
export interface AskedQuestion {
  readonly askedAt: number;
  readonly until: number;
}

/** Marks a conversation as being asked, unless it is already. Returns whether it did. */
export async function beginAsking(
  queries: Queries,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
  { askedAt, until, now }: AskedQuestion & { readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('conversations')
    .set({ asking_until: until, updated_at: askedAt })
    .where(ownedBy(scope, userId))
    .where('id', '=', id)
    .where((e) => e.or([e('asking_until', 'is', null), e('asking_until', '<=', now)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends a question without an answer. Does nothing if another question has begun since. */
export async function stopAsking(
  queries: Queries,
  scope: OrgScope,
  id: ConversationId,
  until: number,
): Promise<void> {
  await queries
    .updateTable('conversations')
    .set({ asking_until: null })
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .where('asking_until', '=', until)
    .execute();
}

/**
 * Ends a question that was answered, and counts its two messages. Returns false if the conversation was deleted or
 * another question has begun since.
 */
export async function finishAsking(
  tx: Queries,
  scope: OrgScope,
  id: ConversationId,
  {
    until,
    answeredAt,
    title,
  }: { readonly until: number; readonly answeredAt: number; readonly title: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('conversations')
    .set((e) => ({
      asking_until: null,
      messages: e('messages', '+', 2),
      updated_at: answeredAt,
      title: e.fn.coalesce('title', e.val(title)),
    }))
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .where('asking_until', '=', until)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function ownedBy(scope: OrgScope, userId: UserId) {
  return (e: ExpressionBuilder<Tables, 'conversations'>) =>
    e.and([e('organization_id', '=', scope.organizationId), e('user_id', '=', userId)]);
}

function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id as ConversationId,
    title: row.title ?? undefined,
    messages: row.messages,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
