import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** Contract section 4. In UTF-16 code units. */
export const maxPromptCharacters = 32_000;

/** @throws InvalidInput for a prompt without a word, or one that is too long. */
export function checkPrompt(prompt: string): void {
  if (prompt.trim() === '') throw invalidField('prompt', 'must not be empty');
  if (prompt.length <= maxPromptCharacters) return;
  throw invalidField(
    'prompt',
    `must have at most ${maxPromptCharacters} characters`,
    `The prompt has ${prompt.length} characters; at most ${maxPromptCharacters} are read. Shorten it to the question and the essential excerpts.`,
  );
}
