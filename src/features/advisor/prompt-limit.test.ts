import { describe, expect, it } from 'vitest';
import { checkPrompt, maxPromptCharacters } from './prompt-limit.ts';

describe('the limit of a prompt', () => {
  it('accepts a prompt of the maximum length', () => {
    expect(() => checkPrompt('x'.repeat(maxPromptCharacters))).not.toThrow();
  });

  it('refuses a longer prompt and names the limit and the field', () => {
    expect(() => checkPrompt('x'.repeat(maxPromptCharacters + 1))).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('The prompt has 32001 characters; at most 32000 are read.'),
        errors: [{ path: '/prompt', message: 'must have at most 32000 characters' }],
      }),
    );
  });
});
