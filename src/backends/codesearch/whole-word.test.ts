import { expect, it } from 'vitest';
import { isWholeWord } from './whole-word.ts';

it('counts as words what ripgrep does, also joiners and letters of other kinds', () => {
  const within = [
    'a',
    'é',
    'e\u0301',
    '9',
    '٣',
    '_',
    '‿',
    'Ⅷ',
    'Ⓐ',
    '\u{1F130}',
    '\u{10400}',
    '\u200d',
    '\u200c',
  ];
  const around = [' ', '$', '.', '“', '²', '\r', '\ufeff', '\u{1F600}', '\udcff', '\u2028'];
  const isWhole = (text: string): boolean[] => [
    isWholeWord(`${text}name`, text.length, text.length + 4),
    isWholeWord(`name${text}`, 0, 4),
  ];
  for (const text of within) expect([text, ...isWhole(text)]).toEqual([text, false, false]);
  for (const text of around) expect([text, ...isWhole(text)]).toEqual([text, true, true]);
});
