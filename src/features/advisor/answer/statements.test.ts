import { describe, expect, it } from 'vitest';
import { listSentence, sayingOf } from './statements.ts';

describe('listSentence', () => {
  const textOf = (sentences: ReturnType<typeof listSentence>): readonly string[] =>
    sentences.map((sentence) => sentence.filter((piece) => typeof piece === 'string').join(''));

  it.each([
    [['a'], undefined, 'Used by a.'],
    [['a', 'b', 'c'], undefined, 'Used by a, b and c.'],
    [['a', 'b'], 5, 'Used by a, b and 3 more.'],
  ])('lists %j of %s', (items, total, expected) => {
    const found = listSentence(
      'Used by ',
      items.map((item) => [item]),
      total,
    );
    expect(textOf(found)).toEqual([expected]);
  });

  it('says nothing of an empty list', () => {
    expect(listSentence('Used by ', [])).toEqual([]);
  });
});

describe('sayingOf', () => {
  it.each([
    [undefined, '.'],
    ['Opens a gate.', ': “Opens a gate.”'],
    ['opens a gate', ': “opens a gate”.'],
  ])('ends the sentence: %s', (said, expected) => {
    expect(sayingOf(said)).toBe(expected);
  });
});
