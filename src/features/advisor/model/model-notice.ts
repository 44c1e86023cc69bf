import { z } from 'zod';
import { ModelFailure, type ModelFailureReason } from '../../../backends/models/port.ts';

const without = 'This answer was made without it.';

const messages = {
  model_timed_out: `The language model did not finish in time. ${without} Ask again, or ask a narrower question.`,
  model_unavailable: `The language model cannot be reached or failed. ${without} Ask again later; an admin can run "orgctx doctor" on the host.`,
  model_rate_limited: `The provider of the language model limits the number of requests. ${without} Ask again in a minute.`,
  model_refused: `The provider of the language model refused the request. ${without} An admin can run "orgctx doctor" on the host to see why.`,
  model_context_exceeded: `The question and its sources are too long for the language model. ${without} Ask a narrower question; an admin can choose a model with a larger context.`,
  model_answer_invalid: `The language model gave no usable answer. ${without} Ask again, or ask a narrower question.`,
};

type NoticeCode = keyof typeof messages;

/** Says why an answer was written without the language model that is configured. */
export const noticeRecord = z.object({
  code: z.enum(Object.keys(messages) as NoticeCode[]),
  message: z.string().describe('What happened and what to do next, for people.'),
});

export type AnswerNotice = Readonly<z.output<typeof noticeRecord>>;

/** Returns the error of an answer that cannot be shown. */
export function unusable(said: string): ModelFailure {
  return new ModelFailure('invalid', { said });
}

const codes: Readonly<Record<ModelFailureReason, NoticeCode>> = {
  timeout: 'model_timed_out',
  unreachable: 'model_unavailable',
  failed: 'model_unavailable',
  rate_limited: 'model_rate_limited',
  refused: 'model_refused',
  too_long: 'model_context_exceeded',
  invalid: 'model_answer_invalid',
};

/** Returns the notice for an error while the language model wrote. */
export function noticeOf(error: unknown, isTimeOut: boolean): AnswerNotice {
  const failed = error instanceof ModelFailure ? codes[error.reason] : 'model_unavailable';
  const code = isTimeOut ? 'model_timed_out' : failed;
  return { code, message: messages[code] };
}
