import { RateLimited } from '../../foundation/kernel/errors.ts';
import { type KeyedSemaphore, openKeyedSemaphore } from '../../foundation/kernel/semaphore.ts';

/** Maximum number of questions that a process answers at once; the others wait. */
const maxAtOnce = 32;
/** Maximum number of questions of one user that are answered at once: an agent with helpers asks several. */
const maxOfUser = 4;
/** Maximum number of questions of one user that are answered or wait. */
const maxPendingOfUser = 16;

/** Limits how many questions are answered at once, by user. All entry points of a process share one limit. */
export type QuestionLimit = KeyedSemaphore;

/** Creates a limit that makes questions wait, and refuses those of a user who has too many already. */
export function openQuestionLimit(): QuestionLimit {
  return openKeyedSemaphore(maxAtOnce, maxOfUser, {
    maxPending: maxPendingOfUser,
    refusal: () =>
      new RateLimited(
        `You have ${maxPendingOfUser} questions that are not answered yet. Ask again when one of them is answered.`,
        { retryAfter: 5 },
      ),
  });
}
