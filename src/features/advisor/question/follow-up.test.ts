import { describe, expect, it } from 'vitest';
import { type Exchange, readFollowUp } from './follow-up.ts';

const exchange = (question: string, ...repositories: readonly string[]): Exchange => ({
  question,
  citations: repositories.map((repository) => ({ repository })),
});
const lease = exchange('Where are leases given back?', 'jobs', 'jobs');

describe('a follow-up question', () => {
  it.each([
    ['and who calls it?', [exchange('Where is renewLease?')], 'and who calls it? (`renewLease`)'],
    ['who calls it?', [exchange('Where is renewLease?', 'jobs')], 'who calls it? (`renewLease`)', 'jobs'],
    ['Who owns this file?', [exchange('What is in src/lease.ts?')], 'Who owns this file? (src/lease.ts)'],
    ['who fixed that?', [exchange('What about ENG-12?')], 'who fixed that? (ENG-12)'],
    ['why?', [exchange('What changed in PR #7?', 'a', 'b')], 'why? (What changed in PR #7?)'],
    [
      'and why?',
      [exchange('When was the `threads` argument removed?', 'jobs'), exchange('and who?', 'jobs')],
      'and why? (When was the `threads` argument removed?)',
      'jobs',
    ],
    ['What about timeouts?', [lease], 'What about timeouts? (Where are leases given back?)', 'jobs'],
    ['who calls it?', [exchange('Where is renewLease?'), exchange('thanks')], 'who calls it? (`renewLease`)'],
  ])(
    'takes over the subject and the repository of the thread: %s',
    (prompt, thread, expected, repository?: string) => {
      expect(readFollowUp(prompt, thread)).toEqual({ prompt: expected, written: prompt, repository });
    },
  );

  it.each([
    ['that names something itself', 'Does parseQuery fail when it is empty?', [lease]],
    ['that refers to nothing', 'Where are retries configured?', [lease]],
    ['with a conjunction', 'Is there anything that retries uploads?', [lease]],
    ['longer than a question', `and it ${'fails '.repeat(100)}`, [lease]],
  ])('stays as it is %s', (_, prompt, thread) => {
    expect(readFollowUp(prompt, thread)).toEqual({ prompt });
  });
});
