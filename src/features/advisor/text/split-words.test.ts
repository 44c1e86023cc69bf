import { expect, it } from 'vitest';
import { splitWords, stemsOf } from './split-words.ts';

it.each([
  ['retryQueues of HTTPServers', ['retry', 'queu', 'of', 'http', 'serv']],
  ['snake_case_names 42 x', ['snak', 'cas', 'nam', '42']],
  ['internationalization of ﬁltered Übergänge', ['international', 'of', 'ﬁlter', 'übergäng']],
])('splits %s into words without endings', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

it('returns the same for known words, for new ones, and for more words than are remembered', () => {
  const inLetters = (number: number): string =>
    number.toString(26).replaceAll(/\d/gu, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
  const words = Array.from({ length: 25_000 }, (_, at) => `${inLetters(at * 997)}ations`);
  const text = [...words, ...words.slice(0, 100), 'İers'].join(' ');
  const twice = splitWords(splitWords(text).join(' '));
  expect(stemsOf(text)).toEqual(twice);
  expect(words.flatMap(stemsOf)).toEqual(twice.slice(0, stemsOf(words.join(' ')).length));
});
