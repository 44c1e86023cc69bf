import type { Answer } from '../answer.ts';

/**
 * Returns an answer with the first half of its citations, which are the best, and without the numbers of the others;
 * `undefined` if there is no half.
 */
export function halfOf(answer: Answer): Answer | undefined {
  const kept = Math.floor(answer.citations.length / 2);
  if (kept === 0) return undefined;
  return {
    ...answer,
    answer: answer.answer.replaceAll(/ \[(\d+)\]/gu, (all, n: string) => (Number(n) > kept ? '' : all)),
    citations: answer.citations.slice(0, kept),
    truncated: true,
  };
}
