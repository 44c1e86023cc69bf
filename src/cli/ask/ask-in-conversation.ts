import { z } from 'zod';
import { answeredRecord, conversationRecord } from '../../features/conversations/conversation-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { CommandContext } from '../frame/context.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { tolerant } from '../remote/tolerant.ts';
import { type AdvisorAnswer, advisorAnswer } from './advisor-answer.ts';
import { lastConversation, rememberConversation } from './last-conversation.ts';

const created = tolerant(conversationRecord.pick({ id: true }));

/** The response to a question in a conversation: the members of an answer, whose text is `content`. */
const answered = tolerant(
  z.object({ answer: answeredRecord.shape.answer.pick({ id: true, content: true }) }),
);

interface Asked {
  readonly prompt: string;
  /** True starts a conversation even if there is one. */
  readonly isNew: boolean;
}

interface AnsweredHere {
  readonly answer: AdvisorAnswer;
  /** Says that the question started a conversation, if it did. */
  readonly notes: readonly string[];
}

/**
 * Asks in the last conversation of this sign-in, and starts one if there is none or it was deleted. Returns the answer
 * in the same form as without a conversation.
 */
export async function askInConversation(
  context: CommandContext,
  api: ApiClient,
  { prompt, isNew }: Asked,
): Promise<AnsweredHere> {
  const last = isNew ? undefined : await lastConversation(context, api.target);
  if (last !== undefined) {
    try {
      return { answer: await askIn(api, last, prompt), notes: [] };
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }
  const { id } = await api.call({ method: 'POST', path: '/conversations', body: {} }, created);
  await rememberConversation(context, api.target, id);
  const answer = await askIn(api, id, prompt);
  const why = last === undefined ? '' : ' The last one was deleted.';
  return {
    answer,
    notes: [`Started a conversation: "orgctx ask --continue <question>" goes on with it.${why}`],
  };
}

async function askIn(api: ApiClient, id: string, content: string): Promise<AdvisorAnswer> {
  const path = `/conversations/${encodeURIComponent(id)}/messages`;
  const { answer } = await api.call({ method: 'POST', path, body: { content } }, answered);
  const { id: _, content: text, ...rest } = answer;
  return advisorAnswer.parse({ answer: text, ...rest });
}
