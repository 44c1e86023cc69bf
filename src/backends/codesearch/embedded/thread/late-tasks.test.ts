import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { Query } from '../../port.ts';
import { lateTasks } from './late-tasks.ts';
import type { Task } from './task.ts';

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

function rankOf(organization: string, term: string): Task {
  const request = { terms: [term], identifiers: [], paths: [], limit: 1 };
  return { kind: 'rank', organizationId: organization as OrganizationId, request };
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

it('keeps the patterns of an organization aside for ten seconds after one was late, and nothing else', () => {
  const late = lateTasks();
  late.add(patternOf('a', 'x+'));
  const asked = [patternOf('a', 'x+'), patternOf('a', 'y+'), wordOf('a', 'x'), patternOf('b', 'x+')];
  expect(asked.map(late.keepsAside)).toEqual([true, true, false, false]);
  vi.advanceTimersByTime(10_001);
  expect(asked.map(late.keepsAside)).toEqual([false, false, false, false]);
});

it('remembers an organization for as long as it asks for what was late, and ten seconds more', () => {
  const late = lateTasks();
  late.add(patternOf('a', 'x+'));
  vi.advanceTimersByTime(9000);
  expect(late.keepsAside(patternOf('a', 'x+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(late.keepsAside(patternOf('a', 'y+'))).toBe(true);
  vi.advanceTimersByTime(9000);
  expect(late.keepsAside(patternOf('a', 'x+'))).toBe(false);
});

it('keeps the patterns of an organization aside that was slow', () => {
  const late = lateTasks();
  late.addSlow('a');
  expect([patternOf('a', 'x+'), wordOf('a', 'x')].map(late.keepsAside)).toEqual([true, false]);
});

it.each([
  ['words', wordOf],
  ['questions', rankOf],
])('keeps %s aside that were late, and after two of them all of the organization', (_, taskOf) => {
  const late = lateTasks();
  late.add(taskOf('a', 'first'));
  const asked = [taskOf('a', 'first'), patternOf('a', 'x+'), taskOf('a', 'other'), taskOf('b', 'first')];
  expect(asked.map(late.keepsAside)).toEqual([true, true, false, false]);
  late.add(taskOf('a', 'second'));
  expect(asked.map(late.keepsAside)).toEqual([true, true, true, false]);
  vi.advanceTimersByTime(10_001);
  expect(asked.map(late.keepsAside)).toEqual([false, false, false, false]);
});

it('forgets the oldest when there are too many', () => {
  const late = lateTasks();
  for (let count = 0; count <= 100; count++) late.add(wordOf(`o${count}`, 'x'));
  expect([wordOf('o0', 'x'), wordOf('o1', 'x')].map(late.keepsAside)).toEqual([false, true]);
});
