import type { Citation } from '../answer.ts';

/** A question of a thread with its answer. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  readonly citations: readonly Pick<Citation, 'n' | 'repository' | 'path' | 'title'>[];
}

/** Returns a question with what it refers to in the thread, so that it can be answered alone. */
export function readFollowUp(prompt: string, _thread: readonly Turn[]): string {
  return prompt;
}
