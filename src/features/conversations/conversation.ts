import type { z } from 'zod';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { ConversationId, MessageId } from '../../foundation/kernel/ids.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { citationRecord } from '../advisor/answer.ts';
import type { AnswerNotice } from '../advisor/model/model-notice.ts';

/**
 * Limits of conversations: messages of one, conversations of a user in an organization, and characters of a title and
 * of the stored part of a passage. A conversation beyond the number replaces the one that was used least recently.
 */
export const conversationLimits = { messages: 100, ofUser: 100, title: 200, excerpt: 1_000 } as const;

/** A thread of questions of one user in one organization. */
export interface Conversation {
  readonly id: ConversationId;
  /** Absent until the first question, unless the user gave one. */
  readonly title: string | undefined;
  /** Number of its messages. */
  readonly messages: number;
  readonly createdAt: number;
  /** Time of the last question or answer. */
  readonly updatedAt: number;
}

export type StoredCitation = z.output<typeof citationRecord>;

/** A question (`user`) or an answer (`assistant`). */
export interface Message {
  readonly id: MessageId;
  readonly role: 'user' | 'assistant';
  /** Markdown of an answer. */
  readonly content: string;
  /** The sources of an answer, with the beginning of their passages. */
  readonly citations?: readonly StoredCitation[];
  readonly model?: string;
  /** Why the configured language model did not write the answer. */
  readonly notice?: AnswerNotice;
  readonly createdAt: number;
}

/** Maximum length of a title that is taken from a question. */
const titleOfQuestion = 80;

/** Returns the title of a conversation from its first question. */
export function titleOf(question: string): string {
  return shorten(visibleLine(question), titleOfQuestion);
}

/** The error for an unknown conversation, and for one of somebody else. */
export function noSuchConversation(): NotFound {
  return new NotFound('You have no such conversation in this organization.');
}
