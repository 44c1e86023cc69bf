import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Answer } from './answer.ts';
import { type AdvisorDeps, gatherEvidence } from './gather-evidence.ts';
import { writeAnswer } from './write-answer.ts';

/** Passages an answer rests on at most; more would bury the best ones. */
const mostItems = 12;

/**
 * Answers a prompt from the organization's indexed repositories, without a language model: the lines that speak for
 * it, quoted with their place and commit. About 32,000 characters at most; says what was cut and how fresh it is.
 */
export async function ask(
  deps: AdvisorDeps,
  scope: OrgScope,
  request: { readonly prompt: string },
  options: { readonly signal: AbortSignal; readonly onProgress?: (message: string) => void },
): Promise<Answer> {
  const { signal, onProgress } = options;
  onProgress?.('Searching the indexed repositories');
  const evidence = await gatherEvidence(deps, scope, { prompt: request.prompt, limit: mostItems }, signal);
  onProgress?.(`Quoting ${evidence.items.length} passages`);
  return writeAnswer(evidence);
}
