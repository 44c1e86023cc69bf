import { expect, it } from 'vitest';
import { isMechanical } from './purpose.ts';

it('ranks commits that only format or move code last, unless the question is about that', () => {
  expect(isMechanical('Run black on everything', 'Who changed send last?')).toBe(true);
  expect(isMechanical('Rename file of the client', 'Why does it retry?')).toBe(true);
  expect(isMechanical('Add type hints', 'When were type hints added?')).toBe(false);
  expect(isMechanical('Add retries', 'Who changed send last?')).toBe(false);
});
