import { Unavailable } from '../../foundation/kernel/errors.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { AdvisorDeps } from './advisor-deps.ts';
import type { Answer } from './answer.ts';
import { collectPack, type Pack, type PackOptions } from './collect-pack.ts';
import { writeBestAnswer } from './model/write-with-model.ts';
import { type Exchange, readFollowUp } from './question/follow-up.ts';
import { writePack } from './write/write-pack.ts';

/** Time-out of an answer, in milliseconds. Clients of MCP wait for 60 s. */
export const answerTimeoutMs = 50_000;

/** Maximum length of a prompt, in UTF-16 code units (contract section 4). */
export const maxPromptCharacters = 32_000;

/** Time that is kept for the answer without the language model, in milliseconds. */
const reserveMs = 3_000;

export interface Question {
  readonly prompt: string;
  /** The questions and answers before it, oldest first. A follow-up question refers to the last of them. */
  readonly thread?: readonly Exchange[];
}

export interface AskOptions {
  /** The user who asks: the number of questions at once is limited by user and organization. */
  readonly userId: UserId;
  readonly signal: AbortSignal;
  /** Receives what is being done, in words for people. Called at once when the question is accepted. */
  readonly onProgress?: (message: string) => void;
  /**
   * Receives the text of the answer in pieces while it is written. The returned answer is what counts: it lacks
   * references of a language model to sources that do not exist.
   */
  readonly onText?: (piece: string) => void;
}

/**
 * Answers a prompt from the organization's code, history, mirrored records and knowledge graph, with a
 * language model if one is configured. All surfaces call this function, so all callers get the same answer.
 * @throws InvalidInput for too long a prompt; RateLimited for too many questions of the user; Unavailable `timed_out`
 */
export async function ask(
  deps: AdvisorDeps,
  scope: OrgScope,
  { prompt, thread = [] }: Question,
  options: AskOptions,
): Promise<Answer> {
  checkPrompt(prompt);
  const { onProgress, onText } = options;
  const asked = thread.length === 0 ? { prompt } : readFollowUp(prompt, thread);
  let isStarted = false;
  const answer = inTurn(deps, scope, options, async ({ signal, until }) => {
    isStarted = true;
    const pack = await collectPack(deps, scope, asked, { signal, until, onProgress });
    const extracted = writePack(pack);
    const { model } = deps;
    // Without a repository, there is nothing that a model could cite.
    if (model === undefined || pack.inquiry.ranked.repositories.length === 0) {
      onText?.(extracted.answer);
      return extracted;
    }
    const timeLeftMs = Math.floor(until - reserveMs - performance.now());
    return await writeBestAnswer({ ...options, deps, model, pack, extracted, signal, timeLeftMs });
  });
  if (!isStarted) onProgress?.('Waiting until other questions are answered');
  return await answer;
}

/**
 * Collects the evidence for a prompt, as one question of the user.
 * @throws as `collectPack`; RateLimited for too many questions of the user; Unavailable `timed_out`
 */
export async function collectContext(
  deps: AdvisorDeps,
  scope: OrgScope,
  prompt: string,
  asker: Asker,
): Promise<Pack> {
  checkPrompt(prompt);
  return await inTurn(deps, scope, asker, (options) => collectPack(deps, scope, { prompt }, options));
}

/** Checks the length of a prompt. @throws InvalidInput naming the limit. */
function checkPrompt(prompt: string): void {
  if (prompt.length <= maxPromptCharacters) return;
  throw invalidField(
    'prompt',
    `must have at most ${maxPromptCharacters} characters`,
    `The prompt has ${prompt.length} characters; at most ${maxPromptCharacters} are read. Shorten it to the question and the essential excerpts.`,
  );
}

type Asker = Pick<AskOptions, 'userId' | 'signal'>;

/** Does the work of a question when it is the turn of its user, until the time-out of an answer. */
async function inTurn<Result>(
  deps: AdvisorDeps,
  scope: OrgScope,
  { userId, signal }: Asker,
  work: (options: PackOptions) => Promise<Result>,
): Promise<Result> {
  const asker = { organizationId: scope.organizationId, userId };
  const deadline = AbortSignal.timeout(answerTimeoutMs);
  const until = performance.now() + answerTimeoutMs;
  const { stopping } = deps;
  const limited = AbortSignal.any([signal, deadline, ...(stopping === undefined ? [] : [stopping])]);
  try {
    return await deps.questions(asker, () => work({ signal: limited, until }), limited);
  } catch (error) {
    if (signal.aborted) throw error;
    if (stopping?.aborted === true)
      throw new Unavailable(
        'shutting_down',
        'The service stopped before the question was answered. Ask again in a minute.',
      );
    if (deadline.aborted)
      throw new Unavailable(
        'timed_out',
        'The answer took longer than 50 seconds. Ask again, or ask a narrower question.',
      );
    throw error;
  }
}
