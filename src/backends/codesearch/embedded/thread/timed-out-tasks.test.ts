import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { Query } from '../../port.ts';
import type { Task } from './task.ts';
import { timedOutTasks } from './timed-out-tasks.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function patternOf(organization: string, source: string): Task {
  return searchOf(organization, { kind: 'regex', source, caseSensitive: true, field: 'content' });
}

function wordOf(organization: string, text: string): Task {
  return searchOf(organization, { kind: 'literal', text, caseSensitive: true, field: 'content' });
}

function searchOf(organization: string, query: Query): Task {
  return {
    kind: 'search',
    organizationId: organization as OrganizationId,
    request: {
      query,
      limit: 1,
      matchesPerFile: 1,
      contextLines: 0,
      deadlineMs: 1000,
    },
  };
}

it('quarantines the patterns of an organization for ten seconds after one timed out, and nothing else', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  const tasks = [patternOf('a', 'x+'), patternOf('a', 'y+'), wordOf('a', 'x'), patternOf('b', 'x+')];
  expect(tasks.map(timedOut.isQuarantined)).toEqual([true, true, false, false]);
  vi.advanceTimersByTime(10_001);
  expect(tasks.map(timedOut.isQuarantined)).toEqual([false, false, false, false]);
});

it('quarantines no pattern that the service built, alone or with words', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  const word: Query = { kind: 'literal', text: 'x', caseSensitive: true, field: 'content' };
  const own: Query = { kind: 'word', text: 'x' };
  const symbol: Query = { kind: 'symbol', form: 'regex', text: '^x$', caseSensitive: true, trusted: true };
  const callers: Query = { kind: 'symbol', form: 'regex', text: '^x+$', caseSensitive: true };
  const queries: readonly Query[] = [own, symbol, { kind: 'and', operands: [own, word] }];
  for (const query of queries) expect(timedOut.isQuarantined(searchOf('a', query))).toBe(false);
  const mixed: Query = { kind: 'and', operands: [own, { kind: 'not', operand: callers }] };
  expect(timedOut.isQuarantined(searchOf('a', mixed))).toBe(true);
});

it('extends the quarantine of an organization that repeats a timed-out task', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'x+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'y+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'x+'))).toBe(false);
});

it('quarantines the patterns of an organization after a slow one', () => {
  const timedOut = timedOutTasks();
  timedOut.addSlow('a');
  expect([patternOf('a', 'x+'), wordOf('a', 'x')].map(timedOut.isQuarantined)).toEqual([true, false]);
});

it('drops the oldest when there are too many', () => {
  const timedOut = timedOutTasks();
  for (let count = 0; count <= 100; count++) timedOut.add(patternOf(`o${count}`, 'x'));
  expect([patternOf('o0', 'x'), patternOf('o1', 'x')].map(timedOut.isQuarantined)).toEqual([false, true]);
});
