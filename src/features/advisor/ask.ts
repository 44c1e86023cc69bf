import { Unavailable } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AdvisorDeps } from './advisor-deps.ts';
import { writeAnswer } from './answer/write-answer.ts';
import type { Answer } from './answer.ts';
import { collectPack } from './collect-pack.ts';

/** Limits of the sources of an answer; more would hide the best ones. */
const budget = { limit: 12, budgetTokens: 6000 } as const;
/** Time-out of an answer, in milliseconds. Clients of MCP wait for 60 s. */
const timeoutMs = 50_000;

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

/**
 * Answers a prompt from the organization's code, history, mirrored records and knowledge graph, without a language
 * model. All surfaces call this function, so all callers get the same answer.
 * @throws InvalidInput for too long a prompt; Unavailable `timed_out`
 */
export async function ask(
  deps: AdvisorDeps,
  scope: OrgScope,
  { prompt }: { readonly prompt: string },
  { signal, ...options }: AskOptions,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const limited = AbortSignal.any([signal, deadline]);
    return writeAnswer(
      await collectPack(deps, scope, { prompt, ...budget }, { ...options, signal: limited }),
    );
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    throw new Unavailable(
      'timed_out',
      'The answer took longer than 50 seconds. Ask again, or ask a narrower question.',
    );
  }
}
