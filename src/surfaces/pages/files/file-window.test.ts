import { describe, expect, it } from 'vitest';
import { fileWindow } from './file-window.ts';

describe('the part of a file that its page shows', () => {
  it.each([
    [undefined, undefined, undefined, '1-200'],
    ['5', undefined, { first: 5, last: 5 }, '1-200'],
    ['301-310', undefined, { first: 301, last: 310 }, '281-480'],
    ['301-310', '481', { first: 301, last: 310 }, '481-680'],
    ['10-', undefined, { first: 10, last: Number.MAX_SAFE_INTEGER }, '1-200'],
  ])('for the lines %s from %s', (lines, from, marked, read) => {
    expect(fileWindow(lines, from)).toEqual({ marked, lines: read });
  });

  it.each(['0', '5-4', 'x', '-5', '1-2-3', '9'.repeat(20)])('refuses the lines %s', (lines) => {
    expect(() => fileWindow(lines, undefined)).toThrow('must be like 10-20');
  });
});
