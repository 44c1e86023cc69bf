import { type Mentions, readMentions } from './prompt/mentions.ts';
import { type PromptSubject, readPrompt } from './prompt/read-prompt.ts';
import { readTrace, type Trace } from './prompt/read-trace.ts';
import { asksEveryRepository, type QuestionKind, signalOf } from './signal.ts';

/** A prompt as it was read. */
export interface Question {
  readonly prompt: string;
  /** Its beginning, before a pasted diff, trace or log: at most 400 characters. */
  readonly head: string;
  readonly kind: QuestionKind;
  /** True if it asks about all repositories: "which of our services …". */
  readonly asksEvery: boolean;
  readonly subject: PromptSubject;
  readonly mentions: Mentions;
  /** A pasted stack trace or error, if there is one. */
  readonly trace?: Trace;
}

/** Maximum length of the part of a prompt that says what is asked. */
const maxHead = 400;
const pasted = /^(?:diff --git |--- a\/|Index: |Traceback |[ \t]{1,20}at \S|goroutine \d|```)/mu;

/** Reads a prompt in linear time for any input. */
export function readQuestion(prompt: string): Question {
  const begin = prompt.slice(0, maxHead);
  const at = begin.search(pasted);
  const head = at > 0 && begin.slice(0, at).trim() !== '' ? begin.slice(0, at) : begin;
  const trace = readTrace(prompt);
  return {
    prompt,
    head,
    kind: signalOf(prompt, head),
    asksEvery: asksEveryRepository(head),
    subject: readPrompt(prompt),
    mentions: readMentions(prompt, head),
    ...(trace === undefined ? {} : { trace }),
  };
}
