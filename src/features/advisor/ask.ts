import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Answer } from './answer.ts';
import { type AnswerDeps, gatherEvidence } from './gather-evidence.ts';
import { type AnswerEvidence, writeAnswer } from './write-answer.ts';

/** Passages an answer rests on at most; more would bury the best ones. */
export const mostItems = 12;
const fewestItems = 3;
/** Of the best score. */
const leastShare = 0.45;

/**
 * Answers a prompt from the organization's indexed repositories, without a language model: the lines that speak for
 * it, quoted with their place and commit. About 32,000 characters at most; says what was cut and how fresh it is.
 */
export async function ask(
  deps: AnswerDeps,
  scope: OrgScope,
  request: { readonly prompt: string },
  options: { readonly signal: AbortSignal; readonly onProgress?: (message: string) => void },
): Promise<Answer> {
  const { signal, onProgress } = options;
  onProgress?.('Searching the indexed repositories');
  const evidence = await gatherEvidence(deps, scope, { prompt: request.prompt, limit: mostItems }, signal);
  const relevant = withoutTail(evidence);
  onProgress?.(`Quoting ${relevant.items.length} passages`);
  return writeAnswer(relevant);
}

/** Without the passages that share a word with the question and no more. */
export function withoutTail(evidence: AnswerEvidence): AnswerEvidence {
  const floor = (evidence.items[0]?.score ?? 0) * leastShare;
  const items = evidence.items.filter(({ score }, index) => index < fewestItems || score >= floor);
  return { ...evidence, items, truncated: evidence.truncated || items.length < evidence.items.length };
}
