import { expect, it } from 'vitest';
import { stemWord } from '../../../foundation/kernel/text/stem-word.ts';
import { relatedStems } from './related-words.ts';

const relatedTo = (word: string): readonly string[] => [...relatedStems(stemWord(word))];

it('returns the stems of all groups of a word, without its own', () => {
  expect(relatedTo('hyperlinks')).toEqual(['link', 'url', 'href', 'anchor']);
  expect(relatedTo('throttling')).toEqual(['rate', 'limit', 'slow', 'burst', 'quota']);
  expect(relatedTo('regex')).toEqual(expect.arrayContaining(['glob', 'regexp']));
});

it('relates words of a group both ways, others one way, and none through a third word', () => {
  expect(relatedTo('anchor')).toContain('hyperlink');
  expect(relatedTo('bounce')).toContain(stemWord('redirect'));
  expect(relatedTo('redirect')).not.toContain(stemWord('bounce'));
  expect(relatedTo('hyperlink')).not.toContain('socket');
});

it('returns nothing for a word without others', () => {
  expect(relatedTo('kysely')).toEqual([]);
});
