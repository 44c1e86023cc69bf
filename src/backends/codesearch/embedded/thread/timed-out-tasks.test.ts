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

/** A pattern of a caller: `a/ada` is Ada in the organization a. */
function patternOf(caller: string, source: string): Task {
  return searchOf(caller, { kind: 'regex', source, caseSensitive: true, field: 'content' });
}

function wordOf(caller: string, text: string): Task {
  return searchOf(caller, { kind: 'literal', text, caseSensitive: true, field: 'content' });
}

function searchOf(caller: string, query: Query): Task {
  const [organizationId, callerId] = caller.split('/');
  return {
    kind: 'search',
    organizationId: organizationId as OrganizationId,
    callerId,
    request: {
      query,
      limit: 1,
      matchesPerFile: 1,
      contextLines: 0,
      deadlineMs: 1000,
    },
  };
}

it('quarantines the patterns of a caller for ten seconds after one timed out, and nothing else', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a/ada', 'x+'));
  const tasks = ['a/ada', 'a/bob', 'b/ada', 'a'].map((caller) => patternOf(caller, 'y+'));
  expect([...tasks, wordOf('a/ada', 'x')].map(timedOut.isQuarantined)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  vi.advanceTimersByTime(10_001);
  expect(tasks.map(timedOut.isQuarantined)).toEqual([false, false, false, false]);
});

it('quarantines a timed-out pattern of every caller of its organization, but not their other patterns', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a/ada', 'x+'));
  const tasks = [patternOf('a/bob', 'x+'), patternOf('a/bob', 'y+'), patternOf('b/bob', 'x+')];
  expect(tasks.map(timedOut.isQuarantined)).toEqual([true, false, false]);
});

it('quarantines an organization of which many callers have timed-out patterns', () => {
  const timedOut = timedOutTasks();
  const callers = ['a/1', 'a/2', 'a/3', 'a/4'];
  for (const caller of callers.slice(0, 3)) timedOut.add(patternOf(caller, caller));
  timedOut.addSlow(patternOf('a/3', 'y'));
  timedOut.add(patternOf('ab/1', 'x'));
  expect(timedOut.isQuarantined(patternOf('a/other', 'x'))).toBe(false);
  timedOut.addSlow(patternOf('a/4', 'y'));
  expect(timedOut.isQuarantined(patternOf('a/other', 'x'))).toBe(true);
  expect(timedOut.isQuarantined(patternOf('ab/other', 'y'))).toBe(false);
  vi.advanceTimersByTime(10_001);
  expect(timedOut.isQuarantined(patternOf('a/other', 'x'))).toBe(false);
});

it('takes callers that are not named for one', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  expect(['a', 'a/ada', 'b'].map((caller) => timedOut.isQuarantined(patternOf(caller, 'y+')))).toEqual([
    true,
    false,
    false,
  ]);
});

it('quarantines no pattern that the service built, alone or with words', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  const word: Query = { kind: 'literal', text: 'x', caseSensitive: true, field: 'content' };
  const own: Query = { kind: 'word', text: 'x' };
  const symbol: Query = { kind: 'symbol', form: 'whole', text: 'x', caseSensitive: true };
  const callers: Query = { kind: 'symbol', form: 'regex', text: '^x+$', caseSensitive: true };
  const queries: readonly Query[] = [own, symbol, { kind: 'and', operands: [own, word] }];
  for (const query of queries) expect(timedOut.isQuarantined(searchOf('a', query))).toBe(false);
  const mixed: Query = { kind: 'and', operands: [own, { kind: 'not', operand: callers }] };
  expect(timedOut.isQuarantined(searchOf('a', mixed))).toBe(true);
});

it('extends the quarantine of a caller that repeats a timed-out task', () => {
  const timedOut = timedOutTasks();
  timedOut.add(patternOf('a', 'x+'));
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'x+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'y+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(timedOut.isQuarantined(patternOf('a', 'x+'))).toBe(false);
});

it('quarantines the patterns of a caller after a slow one, which is not quarantined itself', () => {
  const timedOut = timedOutTasks();
  timedOut.addSlow(patternOf('a', 'x+'));
  expect(timedOut.isQuarantined(patternOf('a/ada', 'x+'))).toBe(false);
  expect([patternOf('a', 'x+'), wordOf('a', 'x')].map(timedOut.isQuarantined)).toEqual([true, false]);
});

it('drops the oldest when there are too many', () => {
  const timedOut = timedOutTasks();
  for (let count = 0; count <= 100; count++) timedOut.add(patternOf(`o${count}`, 'x'));
  expect([patternOf('o0', 'x'), patternOf('o1', 'x')].map(timedOut.isQuarantined)).toEqual([false, true]);
});
