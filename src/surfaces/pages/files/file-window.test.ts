import { describe, expect, it } from 'vitest';
import { fileWindow } from './file-window.ts';

describe('the part of a file that its page shows', () => {
  it.each([
    [undefined, undefined, undefined, { first: 1, last: 200 }],
    ['5', undefined, { first: 5, last: 5 }, { first: 1, last: 200 }],
    ['301-310', undefined, { first: 301, last: 310 }, { first: 281, last: 480 }],
    ['301-310', '481', { first: 301, last: 310 }, { first: 481, last: 680 }],
    ['10-', undefined, { first: 10, last: Number.MAX_SAFE_INTEGER }, { first: 1, last: 200 }],
  ])('for the lines %j from %j', (lines, from, marked, read) => {
    expect(fileWindow(lines, from)).toEqual({ marked, lines: read });
  });

  it.each(['0', '5-4', 'x', '-5', '1-2-3', '9'.repeat(20)])('refuses the lines %s', (lines) => {
    expect(() => fileWindow(lines, undefined)).toThrow('must be like 10-20');
  });
});
