import { expect, it } from 'vitest';
import { relatedWords } from './related-words.ts';

it('code uses other words than a question, also for participles without an ending', () => {
  expect(relatedWords(['chosen'])).toEqual(expect.arrayContaining(['choose', 'decide', 'select']));
  expect(relatedWords(['looked'])).toContain('lookup');
  expect(relatedWords(['decompressed'])).toContain('decode');
});
