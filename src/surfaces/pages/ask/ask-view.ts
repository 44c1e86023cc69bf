import type { ComponentChildren, VNode } from 'preact';
import type { Conversation, Message } from '../../../features/conversations/conversation.ts';
import { conversationLimits } from '../../../features/conversations/conversation.ts';
import type { MessageId } from '../../../foundation/kernel/ids.ts';
import type { Page } from '../../../foundation/kernel/wire/page.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { textArea } from '../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { nextPage, pageHeading, section, table } from '../kit/html/parts.ts';
import { answerParts } from './answer-parts.ts';

export interface AskData {
  readonly conversations: Page<Conversation>;
  readonly errors?: FieldErrors;
}

/** The form for a new question, and the conversations of the person. */
export function askView(visit: Visit, { conversations, errors }: AskData): AppView {
  const { items, nextCursor } = conversations;
  const next = nextCursor === null ? undefined : visit.path(`/ask?cursor=${nextCursor}`);
  return {
    title: 'Ask',
    status: errors === undefined ? 200 : 400,
    content: [
      pageHeading('Ask'),
      questionForm(visit, '/ask', { label: 'Your question', given: visit.query('q'), errors }),
      items.length > 0 &&
        section(
          'conversations',
          'Your conversations',
          table({
            caption: 'Your conversations, newest first',
            columns: ['Conversation', 'Questions', 'Last question'],
            rows: items.map((conversation) => [
              el('a', { href: visit.path(conversationPath(conversation)) }, titleNode(conversation)),
              String(Math.floor(conversation.messages / 2)),
              age(conversation.updatedAt, visit.now),
            ]),
          }),
          nextPage(next),
        ),
    ],
  };
}

export interface ThreadData {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly errors?: FieldErrors;
}

/** The questions and answers of a conversation, and the form for the next question. */
export function threadView(visit: Visit, { conversation, messages, errors }: ThreadData): AppView {
  const path = conversationPath(conversation);
  return {
    title: `Ask: ${titleText(conversation)}`,
    status: errors === undefined ? 200 : 400,
    content: [
      pageHeading(
        titleNode(conversation),
        el('a', { class: 'button', href: visit.path('/ask') }, 'New question'),
        el('a', { class: 'button', href: visit.path(`${path}/delete`) }, 'Delete'),
      ),
      ...messages.map((message, index) => turnPart(message, Math.floor(index / 2) + 1)),
      messages.length >= conversationLimits.messages
        ? el('p', { class: 'notice' }, 'This conversation is full. Start a new question to go on.')
        : questionForm(visit, path, { label: 'Ask a follow-up question', errors }),
    ],
  };
}

/** Asks before a conversation is deleted, which cannot be undone. */
export function deleteView(visit: Visit, conversation: Conversation): AppView {
  const path = conversationPath(conversation);
  return {
    title: `Delete: ${titleText(conversation)}`,
    content: section(
      'delete',
      'Delete the conversation',
      el(
        'p',
        null,
        'The questions and answers of ',
        el('strong', null, titleNode(conversation)),
        ' are deleted.',
      ),
      form(
        visit.form(`${path}/delete`),
        actions(
          el('button', { type: 'submit', class: 'danger' }, 'Delete the conversation'),
          el('a', { class: 'button', href: visit.path(path) }, 'Keep it'),
        ),
      ),
    ),
  };
}

/** Returns the id of the heading of a question. */
export function questionId(id: MessageId): string {
  return `question-${id}`;
}

function turnPart(message: Message, turn: number): ComponentChildren {
  if (message.role === 'user')
    return section(
      questionId(message.id),
      turn === 1 ? 'Question' : `Question ${turn}`,
      el('p', { dir: 'auto' }, ...message.content.split('\n').flatMap((line) => [line, el('br', null)])),
    );
  const id = `answer-${turn}`;
  return section(id, turn === 1 ? 'Answer' : `Answer ${turn}`, answerParts(message, id));
}

interface QuestionForm {
  readonly label: string;
  /** The text to begin with. */
  readonly given?: string | undefined;
  readonly errors: FieldErrors | undefined;
}

function questionForm(visit: Visit, path: string, { label, given, errors }: QuestionForm): VNode {
  const content = form(
    { ...visit.form(path), errors },
    textArea({
      name: 'prompt',
      label,
      hint: 'Ask how something works, where it is or what happened; name files, symbols or errors where you know them.',
      value: errors === undefined ? given : visit.fields['prompt'],
      error: errors?.['prompt'],
    }),
    actions(button('Ask', { primary: true })),
  );
  return el('div', { class: 'card' }, content);
}

function conversationPath({ id }: Conversation): string {
  return `/ask/${id}`;
}

const untitled = 'Untitled conversation';

function titleNode({ title }: Conversation): ComponentChildren {
  return title === undefined || title === '' ? untitled : name(title);
}

function titleText({ title }: Conversation): string {
  return title === undefined || title === '' ? untitled : nameText(title, 60);
}
