import { expect, it } from 'vitest';
import { joinedPairs, withShortForms } from './short-forms.ts';

it('adds the short forms of words and of pairs of words', () => {
  expect(withShortForms(['Command', 'line', 'configuration'])).toEqual([
    'Command',
    'line',
    'configuration',
    'config',
    'cli',
  ]);
});

it('joins neighbouring words', () => {
  expect(joinedPairs(['web', 'Socket', 'close'])).toEqual(['websocket', 'socketclose']);
  expect(joinedPairs(['one'])).toEqual([]);
});
