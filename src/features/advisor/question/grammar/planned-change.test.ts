import { describe, expect, it } from 'vitest';
import { asksForImpact } from './planned-change.ts';

describe('asksForImpact', () => {
  it.each([
    'I want to loosen plain_int. What all would behave differently?',
    'if we renamed app.store, what would have to change?',
    "I'm adding a field to the Context struct. What else has to be kept in step?",
    'Is toString() only for debugging, or would something break if I changed its output?',
    "I'd like to change the default `sep`. What would that affect?",
    'can I swap the encoder, and what breaks if I do?',
    'what is affected by changing the default of MAX_SIZE?',
    'What do I break if I change the parameters of Ferry.finish?',
    'I want to get rid of Ferry::Wrapper. Anything that would stop working?',
    'Is it safe to delete the old module?',
    "I'm about to change how parseAccept sorts. Who would notice?",
    "I'd like to get rid of the noPipe flag. What hangs on it?",
    "If MAX_SIZE's default flips, which code behaves differently?",
  ])('%s', (prompt) => {
    expect(asksForImpact(prompt, prompt)).toBe(true);
  });

  it.each([
    'I want to raise the timeout. Which setting do I have to change?',
    'Who should review a change to the code that reads the address?',
    'how do I change the default timeout?',
    'what do I need to touch when adding a new converter?',
    'what would I have to touch to add a new transport?',
    'What happens when I remove a listener while emitting?',
    'When did we change the default, and what was affected?',
    'I want to change the cache. Where is it defined?',
  ])('plans or asks for no consequence: %s', (prompt) => {
    expect(asksForImpact(prompt, prompt)).toBe(false);
  });
});
