import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { type ConversationId, newId, type UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Page, PageRequest } from '../../foundation/kernel/wire/page.ts';
import { type Conversation, type Message, noSuchConversation } from './conversation.ts';
import { deleteConversation, findConversation, insertConversation } from './conversation-store.ts';
import { listMessages } from './message-store.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Creates a conversation of the user. It replaces the one used least recently if the user has the maximum number. */
export async function createConversation(
  { database, clock }: Deps,
  scope: OrgScope,
  userId: UserId,
  { title }: { readonly title?: string | undefined } = {},
): Promise<Conversation> {
  const now = clock();
  const row = {
    id: newId<ConversationId>(now),
    organization_id: scope.organizationId,
    user_id: userId,
    title: title === undefined ? null : visibleLine(title),
    messages: 0,
    asking_until: null,
    updated_at: now,
    created_at: now,
  };
  return await database.transaction((tx) => insertConversation(tx, row));
}

/** Returns a conversation of the user. @throws NotFound, also for one of somebody else */
export async function getConversation(
  { database }: Pick<Deps, 'database'>,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
): Promise<Conversation> {
  const { askingUntil: _, ...found } =
    (await findConversation(database.queries, scope, userId, id)) ?? missing();
  return found;
}

/** Lists the messages of a conversation of the user, the oldest first. @throws NotFound; InvalidInput for a cursor */
export async function getMessages(
  { database }: Pick<Deps, 'database'>,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
  request: PageRequest = {},
): Promise<Page<Message>> {
  if ((await findConversation(database.queries, scope, userId, id)) === undefined) throw noSuchConversation();
  return await listMessages(database.queries, scope, userId, id, request);
}

/** Deletes a conversation of the user with its messages. @throws NotFound */
export async function removeConversation(
  { database }: Pick<Deps, 'database'>,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
): Promise<void> {
  if (!(await deleteConversation(database.queries, scope, userId, id))) throw noSuchConversation();
}

function missing(): never {
  throw noSuchConversation();
}
