import { expect, it } from 'vitest';
import { summaryOf } from './reference-text.ts';

const counts = {
  name: 'renew',
  certain: 0,
  possible: 0,
  text: 0,
  written: 0,
  elsewhere: 0,
  others: 0,
  definitions: [],
};

it.each([
  [{ total: 0 }, 'No line has `renew` as a whole word.'],
  [{ total: 0, incomplete: 'deadline' }, 'No line was found before the search stopped: `renew`.'],
  [{ total: 0, incomplete: 'definitions' }, 'No line has `renew` as a whole word.'],
  [
    { total: 1, text: 1, incomplete: 'definitions' },
    '1 line with `renew`: 0 certain, 0 possible, 1 by text only.',
  ],
  [{ total: 1, certain: 1 }, '1 line with `renew`: 1 certain, 0 possible, 0 by text only.'],
  [
    { total: 2, text: 2, elsewhere: 1, incomplete: 'limit' },
    '2 lines or more with `renew`: 0 certain, 0 possible, 2 by text only. 1 line more certainly mean another renew.',
  ],
  [
    { total: 4, certain: 1, possible: 3, written: 2, others: 5 },
    '4 lines with `renew`: 1 certain, 3 possible (2 by their written form, first), 0 by text only. 5 lines more only have renew: ask for this name.',
  ],
])('says of %j how many lines there are', (page, summary) => {
  expect(summaryOf({ ...counts, ...page })).toBe(summary);
});
