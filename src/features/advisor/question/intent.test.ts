import { describe, expect, it } from 'vitest';
import { intentOf } from './intent.ts';
import { readPrompt } from './prompt/read-prompt.ts';

const weightsOf = (prompt: string) => intentOf(prompt, readPrompt(prompt)).weights;

describe('the intent of a prompt', () => {
  it('puts documents above code when it asks how to use something, and below when it asks for a place', () => {
    expect(weightsOf('How do I install it on Debian?').docs).toBeGreaterThan(1);
    expect(weightsOf('Where is the lease renewed?').docs).toBeLessThan(0.7);
    expect(weightsOf('How does parseQuery treat quotes?').docs).toBeLessThan(0.7);
  });

  it('raises tests and data only when it asks for them', () => {
    expect(weightsOf('Retry webhooks')).not.toHaveProperty('test');
    expect(weightsOf('Which tests cover retries?').test).toBeGreaterThan(0.5);
    expect(weightsOf('Which settings does the worker have?').data).toBeGreaterThan(0.5);
  });

  it('recognizes a question about the project as a whole', () => {
    expect(intentOf('What is this project?', readPrompt('What is this project?'))).toMatchObject({
      isOverview: true,
      weights: { readme: 2 },
    });
    expect(intentOf('Explain the queue', readPrompt('Explain the queue')).isOverview).toBe(false);
  });
});
