import { describe, expect, it } from 'vitest';
import { busyPids, type Line, summarize } from './journal.ts';

let clock = 0;
const at = (): number => (clock += 10);
const start = (run: string, fence: number, pid = 1, lane = 'a', jobs = [1]): Line => ({
  what: 'start',
  run,
  pid,
  lane,
  fence,
  jobs,
  at: at(),
});
const end = (run: string, what: 'done' | 'failed' | 'lost' = 'done'): Line => ({ what, run, at: at() });
const kill = (pid: number): Line => ({ what: 'kill', pid, at: at() });

describe('the journal of the kill test', () => {
  it('reports no error for consecutive runs and for parallel lanes', () => {
    const lines = [
      start('x', 1),
      start('y', 1, 2, 'b', [2, 3]),
      end('x'),
      start('z', 2, 2),
      end('y'),
      end('z'),
    ];
    expect(summarize(lines)).toMatchObject({ runs: 3, executions: 4, overlaps: [], staleFences: [] });
  });

  it('reports a run that starts in a lane during another run', () => {
    const { overlaps } = summarize([start('x', 1), start('y', 2, 2), end('x'), end('y')]);
    expect(overlaps).toEqual(['a: run y (fence 2) began during run x (fence 1)']);
  });

  it('reports a run that starts during a run that was killed later', () => {
    expect(summarize([start('x', 1), start('y', 2, 2), kill(1), end('y')]).overlaps).toHaveLength(1);
  });

  it('accepts an overlap with a run that lost its lease', () => {
    const summary = summarize([start('x', 1), start('y', 2, 2), end('y'), end('x', 'lost')]);
    expect(summary).toMatchObject({ overlaps: [], lostLeases: 1 });
  });

  it.each([
    ['the same fence in another process', 2, [2]],
    ['a lower fence', 1, [2, 1]],
  ])('reports %s', (_what, pid, [first = 0, second = first]) => {
    const lines = [start('x', first), end('x'), start('y', second, pid), end('y')];
    expect(summarize(lines).staleFences).toHaveLength(1);
  });

  it('accepts several runs of one process under one fence', () => {
    expect(summarize([start('x', 1), end('x', 'failed'), start('y', 1), end('y')]).staleFences).toEqual([]);
  });

  it('returns the processes with an unfinished run', () => {
    const lines = [start('x', 1), start('y', 1, 2, 'b'), start('z', 1, 3, 'c'), end('x'), kill(2)];
    expect(busyPids(lines)).toEqual([3]);
  });

  it('measures the time from a kill to the next run in each affected lane', () => {
    const lines = [
      start('x', 1),
      start('y', 1, 1, 'b'),
      kill(1),
      kill(3),
      start('z', 2, 2),
      start('w', 2, 2, 'b'),
    ];
    expect(summarize(lines)).toMatchObject({ killsInWork: 1, recoveries: [20, 30], diedBeforeStart: 0 });
  });

  it('distinguishes a slow recovery from several deaths in a row by the fence', () => {
    const lines = [start('x', 1), kill(1), kill(2), start('z', 3, 3)];
    expect(summarize(lines)).toMatchObject({ recoveries: [10], diedBeforeStart: 1 });
  });
});
