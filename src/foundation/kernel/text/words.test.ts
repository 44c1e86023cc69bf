import { expect, it } from 'vitest';
import { wordsIn } from './words.ts';

it.each([
  ['parseHTTPUrl_v2', ['pars', 'http', 'url']],
  ['GitHubのtoken更新', ['git', 'hub', 'token', '更新']],
  ['foo—bar naïve', ['foo', 'bar', 'naïve']],
  ['a 123456 1234567', ['123456']],
])('reads the words of %s', (text, words) => {
  expect(wordsIn(text)).toEqual(words);
});
