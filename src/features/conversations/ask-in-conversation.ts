import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { type ConversationId, type MessageId, newId, type UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shorten, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import type { AdvisorDeps } from '../advisor/advisor-deps.ts';
import type { Answer } from '../advisor/answer.ts';
import { type AskOptions, answerTimeoutMs, ask } from '../advisor/ask.ts';
import type { Exchange } from '../advisor/question/follow-up.ts';
import { conversationLimits, type Message, noSuchConversation, titleOf } from './conversation.ts';
import {
  type AskedQuestion,
  beginAsking,
  findConversation,
  finishAsking,
  insertConversation,
  stopAsking,
} from './conversation-store.ts';
import { insertMessages, lastExchanges } from './message-store.ts';

export interface ConversationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly advisor: AdvisorDeps;
}

/** A question of a conversation with its answer, both stored. */
export interface Answered {
  readonly conversationId: ConversationId;
  readonly question: Message;
  /** The answer as stored, with the beginning of its passages. */
  readonly stored: Message;
  readonly answer: Answer;
}

/** Number of former questions that a question may refer to. */
const maxExchanges = 5;
/** Time after the time-out of an answer in which it is stored, in milliseconds. */
const storingMs = 15_000;

/**
 * Answers a question in a conversation. Question and answer are stored together when the answer is complete: nothing
 * is stored of a question that failed or whose caller left.
 * @throws NotFound for a conversation that the user does not have; Conflict while another question of it is answered,
 *   and for a full conversation; what `ask` throws
 */
export async function askInConversation(
  deps: ConversationsDeps,
  scope: OrgScope,
  { id, content }: { readonly id: ConversationId; readonly content: string },
  options: AskOptions,
): Promise<Answered> {
  const { asked, thread } = await beginQuestion(deps, scope, options.userId, id);
  try {
    const answer = await ask(deps.advisor, scope, { prompt: content, thread }, options);
    const answered = answeredOf(deps, { id, content, answer, askedAt: asked.askedAt });
    await storeAnswered(deps, scope, answered, asked.until);
    return answered;
  } catch (error) {
    await stopAsking(deps.database.queries, scope, id, asked.until);
    throw error;
  }
}

/**
 * Answers a question in a new conversation, which is only stored with the answer.
 * @throws what `ask` throws
 */
export async function askInNewConversation(
  deps: ConversationsDeps,
  scope: OrgScope,
  content: string,
  options: AskOptions,
): Promise<Answered> {
  const askedAt = deps.clock();
  const id = newId<ConversationId>(askedAt);
  const answer = await ask(deps.advisor, scope, { prompt: content }, options);
  const answered = answeredOf(deps, { id, content, answer, askedAt });
  await deps.database.transaction(async (tx) => {
    await insertConversation(tx, {
      id,
      organization_id: scope.organizationId,
      user_id: options.userId,
      title: titleOf(content),
      messages: 2,
      asking_until: null,
      updated_at: answered.stored.createdAt,
      created_at: askedAt,
    });
    await insertMessages(tx, id, [answered.question, answered.stored]);
  });
  return answered;
}

/** Reserves the conversation for one question, and reads the questions before it. */
async function beginQuestion(
  { database, clock }: ConversationsDeps,
  scope: OrgScope,
  userId: UserId,
  id: ConversationId,
): Promise<{ readonly asked: AskedQuestion; readonly thread: readonly Exchange[] }> {
  return await database.transaction(async (tx) => {
    const found = await findConversation(tx, scope, userId, id);
    if (found === undefined) throw noSuchConversation();
    if (found.messages + 2 > conversationLimits.messages) throw isFull();
    const now = clock();
    // Later than every message before, so that the ids of messages are in their order.
    const askedAt = Math.max(now, found.updatedAt + 1);
    const asked = { askedAt, until: askedAt + answerTimeoutMs + storingMs };
    if (!(await beginAsking(tx, scope, userId, id, { ...asked, now }))) throw isBeingAsked();
    return { asked, thread: await lastExchanges(tx, scope, userId, id, maxExchanges) };
  });
}

async function storeAnswered(
  { database }: ConversationsDeps,
  scope: OrgScope,
  { conversationId, question, stored }: Answered,
  until: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const title = titleOf(question.content);
    const finished = { until, answeredAt: stored.createdAt, title };
    if (!(await finishAsking(tx, scope, conversationId, finished))) throw noSuchConversation();
    await insertMessages(tx, conversationId, [question, stored]);
  });
}

function answeredOf(
  { clock }: ConversationsDeps,
  asked: {
    readonly id: ConversationId;
    readonly content: string;
    readonly answer: Answer;
    readonly askedAt: number;
  },
): Answered {
  const { id, content, answer, askedAt } = asked;
  const answeredAt = Math.max(clock(), askedAt + 1);
  return {
    conversationId: id,
    answer,
    question: {
      id: newId<MessageId>(askedAt),
      role: 'user',
      content: visibleText(content),
      createdAt: askedAt,
    },
    stored: {
      id: newId<MessageId>(answeredAt),
      role: 'assistant',
      content: answer.answer,
      citations: answer.citations.map((citation) => ({
        ...citation,
        excerpt: shorten(citation.excerpt, conversationLimits.excerpt),
      })),
      ...(answer.model === undefined ? {} : { model: answer.model }),
      ...(answer.notice === undefined ? {} : { notice: answer.notice }),
      createdAt: answeredAt,
    },
  };
}

function isBeingAsked(): Conflict {
  return new Conflict(
    'conflict',
    'Another question of this conversation is being answered. Ask again when it is answered.',
  );
}

function isFull(): Conflict {
  return new Conflict(
    'conflict',
    `This conversation has ${conversationLimits.messages} messages, which is the maximum. Start a new one.`,
  );
}
