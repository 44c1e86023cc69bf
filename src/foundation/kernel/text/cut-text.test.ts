import { expect, it } from 'vitest';
import { textBefore, withoutEnd, withoutStart } from './cut-text.ts';

it.each([
  ['a//', '/', 'a'],
  ['/a/b', '/', '/a/b'],
  ['a\r\n\n', '\r\n', 'a'],
  ['...', '.', ''],
  ['', '.', ''],
])('%j without %j at its end is %j', (text, characters, expected) => {
  expect(withoutEnd(text, characters)).toBe(expected);
});

it.each([
  ['//a/', '/', 'a/'],
  ['a/', '/', 'a/'],
  ['...', '.', ''],
])('%j without %j at its start is %j', (text, characters, expected) => {
  expect(withoutStart(text, characters)).toBe(expected);
});

it.each([
  ['a.b.c', '.', 'a'],
  ['.github', '.', ''],
  ['a [as b] [as c]', ' [as ', 'a'],
  ['a', '.', 'a'],
])('the part of %j before %j is %j', (text, mark, expected) => {
  expect(textBefore(text, mark)).toBe(expected);
});
