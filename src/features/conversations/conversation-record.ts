import { z } from 'zod';
import { isoTime } from '../../foundation/kernel/clock.ts';
import { answerRecord, citationRecord, toAnswerRecord } from '../advisor/answer.ts';
import { noticeRecord } from '../advisor/model/model-notice.ts';
import type { Answered } from './ask-in-conversation.ts';
import type { Conversation, Message } from './conversation.ts';

/** A conversation (contract section 3, `/conversations`). */
export const conversationRecord = z
  .object({
    id: z.string(),
    title: z.string().nullable().describe('Given, or from the first question; `null` until then.'),
    messages: z.int().describe('Number of messages.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime().describe('Time of the last question or answer.'),
  })
  .meta({ id: 'Conversation' });

export type ConversationRecord = z.output<typeof conversationRecord>;

export function toConversationRecord(conversation: Conversation): ConversationRecord {
  const { id, title = null, messages, createdAt, updatedAt } = conversation;
  return { id, title, messages, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

/** A question or an answer. */
export const messageRecord = z
  .object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    content: z.string().describe('The question, or the answer as Markdown without links.'),
    citations: z
      .array(citationRecord)
      .optional()
      .describe('Sources of an answer, with the beginning of their passages.'),
    model: z.string().optional().describe('The language model that wrote the answer, if any.'),
    notice: noticeRecord.optional(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Message' });

export type MessageRecord = z.output<typeof messageRecord>;

export function toMessageRecord({ citations, createdAt, ...message }: Message): MessageRecord {
  return {
    ...message,
    ...(citations === undefined ? {} : { citations: [...citations] }),
    createdAt: isoTime(createdAt),
  };
}

/** A question in a conversation with its answer, whose passages are whole. */
export const answeredRecord = z
  .object({
    message: messageRecord,
    answer: answerRecord
      .omit({ answer: true })
      .extend({ id: z.string(), content: answerRecord.shape.answer }),
  })
  .meta({ id: 'AnsweredMessage' });

export type AnsweredRecord = z.output<typeof answeredRecord>;

export function toAnsweredRecord({ question, stored, answer }: Answered): AnsweredRecord {
  const { answer: content, ...rest } = toAnswerRecord(answer);
  return { message: toMessageRecord(question), answer: { id: stored.id, content, ...rest } };
}
