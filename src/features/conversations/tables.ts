declare module '../../foundation/db/tables.ts' {
  interface Tables {
    conversations: ConversationRow;
    messages: MessageRow;
  }
}

/** A thread of questions of one user in one organization. */
export interface ConversationRow {
  id: string;
  organization_id: string;
  user_id: string;
  /** Null until the first question, unless the user gave one. */
  title: string | null;
  /** Number of its messages. */
  messages: number;
  /** While a question is being answered: the time after which another question may be asked in any case. */
  asking_until: number | null;
  /** Time of the last question or answer. */
  updated_at: number;
  created_at: number;
}

/** A question or an answer. The ids of a conversation's messages are in the order of the messages. */
export interface MessageRow {
  conversation_id: string;
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** JSON; null for a question. */
  citations: string | null;
  /** The language model that wrote the answer. */
  model: string | null;
  /** JSON: why the configured language model did not write the answer. */
  notice: string | null;
  created_at: number;
}
