import { expect, it } from 'vitest';
import { codeOf } from './line-source.ts';

it.each([
  ['  // throw it', ''],
  ['# raise it', ''],
  [' * of a comment', ''],
  ['-- of SQL', ''],
  ['run(); // then stop', 'run();'],
  ['#define HULL_MAX 4', '#define HULL_MAX 4'],
  ['#include <hull.h>', '#include <hull.h>'],
  ['*place = HULL_MAX;', '*place = HULL_MAX;'],
  ['#[derive(Debug)]', '#[derive(Debug)]'],
])('of %s is the code %s', (line, code) => {
  expect(codeOf(line)).toBe(code);
});
