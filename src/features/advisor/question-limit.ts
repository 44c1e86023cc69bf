import { RateLimited } from '../../foundation/kernel/errors.ts';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';
import { openKeyedSemaphore } from '../../foundation/kernel/limits/semaphore.ts';

/** Maximum number of questions that a process answers at once; the others wait. */
const maxAtOnce = 32;
/** Maximum number of questions of one organization that are answered at once, so that others need not wait for it. */
const maxOfOrganization = 12;
/** Maximum number of questions of one user that are answered at once: an agent with helpers asks several. */
const maxOfUser = 4;
/** Maximum number of questions of one user that are answered or wait, without those that were cancelled. */
const maxPendingOfUser = 16;

/** The user of a question, and the organization. */
interface Asker {
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
}

/**
 * Limits how many questions are answered at once, by user and by organization. All entry points of a process share one
 * limit. @throws RateLimited for too many questions of the user, before a promise is returned; the reason of an aborted
 * signal
 */
export type QuestionLimit = <T>(asker: Asker, task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Creates a limit that makes questions wait, and refuses those of a user who has too many already. */
export function openQuestionLimit(): QuestionLimit {
  // A question that waits for its organization takes no place of the whole process: only the inner limit counts those.
  const takeOfUser = openKeyedSemaphore(Number.POSITIVE_INFINITY, maxOfUser, {
    maxPending: maxPendingOfUser,
    refusal: () =>
      new RateLimited(
        `You have ${maxPendingOfUser} questions that are not answered yet. Ask again when one of them is answered.`,
        { retryAfter: 5 },
      ),
  });
  const takeOfOrganization = openKeyedSemaphore(maxAtOnce, maxOfOrganization);
  return ({ organizationId, userId }, task, signal) =>
    takeOfUser(userId, () => takeOfOrganization(organizationId, task, signal), signal);
}
