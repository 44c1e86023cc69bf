import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** Maximum length of a prompt, in UTF-16 code units (contract section 4). */
export const maxPromptCharacters = 32_000;

/** Checks the length of a prompt. @throws InvalidInput naming the limit. */
export function checkPrompt(prompt: string): void {
  if (prompt.length <= maxPromptCharacters) return;
  throw invalidField(
    'prompt',
    `must have at most ${maxPromptCharacters} characters`,
    `The prompt has ${prompt.length} characters; at most ${maxPromptCharacters} are read. Shorten it to the question and the essential excerpts.`,
  );
}
