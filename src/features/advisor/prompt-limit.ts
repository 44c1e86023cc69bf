import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** Contract section 4. In UTF-16 code units. */
export const maxPromptCharacters = 32_000;

/** @throws InvalidInput naming the limit. */
export function checkPrompt(prompt: string): void {
  if (prompt.length <= maxPromptCharacters) return;
  throw invalidField(
    'prompt',
    `must have at most ${maxPromptCharacters} characters`,
    `The prompt has ${prompt.length} characters; at most ${maxPromptCharacters} are read. Shorten it to the question and the essential excerpts.`,
  );
}
