import { describe, expect, it } from 'vitest';
import { readPrompt } from '../prompt/read-prompt.ts';
import { usageOf } from './usage.ts';

const usage = (prompt: string) => usageOf(prompt, readPrompt(prompt));

describe('usageOf', () => {
  it.each([
    ['Where is MAX_SIZE read?', 'MAX_SIZE', 'read'],
    ['Where is the max_size option checked?', 'max_size', 'check'],
    ['What sets `limit`?', 'limit', 'set'],
    ['Where is DEBUG used?', 'DEBUG', 'use'],
    ['Which middleware reads If-None-Match?', 'If-None-Match', 'read'],
    ['Where is Settings.maxSize overridden?', 'maxSize', 'set'],
    ['Where is NotFoundError thrown?', 'NotFoundError', 'raise'],
    ['What happens when a plugin throws NotFoundError?', 'NotFoundError', 'catch'],
    ['Where is strict used?', 'strict', 'use'],
    ['Who catches NotFoundError?', 'NotFoundError', 'catch'],
  ])('%s', (prompt, name, verb) => {
    expect(usage(prompt)).toEqual({ name, verb });
  });

  it.each([
    'Where is the lease of a job renewed?',
    'How does readPrompt work?',
    'What happens when maxSize is read twice?',
    'Fix readPrompt, which sets the wrong limit',
    'Where is readPrompt?',
  ])('asks for no uses of a name: %s', (prompt) => {
    expect(usage(prompt)).toBeUndefined();
  });
});
