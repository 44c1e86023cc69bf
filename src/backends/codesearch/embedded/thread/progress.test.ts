import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { hungPatterns } from './progress.ts';
import type { Task } from './task.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function searchOf(organization: string, source: string): Task {
  return {
    kind: 'search',
    organizationId: organization as OrganizationId,
    request: {
      query: { kind: 'regex', source, caseSensitive: true, field: 'content' },
      limit: 1,
      matchesPerFile: 1,
      contextLines: 0,
      deadlineMs: 1000,
    },
  };
}

it('remembers a pattern that hung, of one organization, for ten seconds', () => {
  const hung = hungPatterns();
  hung.add(searchOf('a', 'x+'));
  expect(hung.has(searchOf('a', 'x+'))).toBe(true);
  expect(hung.has(searchOf('a', 'y+'))).toBe(false);
  expect(hung.has(searchOf('b', 'x+'))).toBe(false);
  expect([hung.isOf('a'), hung.isOf('b')]).toEqual([true, false]);
  vi.advanceTimersByTime(10_001);
  expect(hung.has(searchOf('a', 'x+'))).toBe(false);
  expect(hung.isOf('a')).toBe(false);
});

it('remembers an organization for as long as it asks for what hung, and tries the pattern again', () => {
  const hung = hungPatterns();
  hung.add(searchOf('a', 'x+'));
  vi.advanceTimersByTime(9000);
  expect(hung.has(searchOf('a', 'x+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(hung.has(searchOf('a', 'x+'))).toBe(false);
  expect(hung.isOf('a')).toBe(true);
});
