import { describe, expect, it } from 'vitest';
import { judge, type Line, pidsAtWork } from './journal.ts';

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
  it('finds nothing in runs one after the other, and in lanes side by side', () => {
    const lines = [
      start('x', 1),
      start('y', 1, 2, 'b', [2, 3]),
      end('x'),
      start('z', 2, 2),
      end('y'),
      end('z'),
    ];
    expect(judge(lines)).toMatchObject({ runs: 3, executions: 4, overlaps: [], staleFences: [] });
  });

  it('finds a run that begins in a lane during another', () => {
    const { overlaps } = judge([start('x', 1), start('y', 2, 2), end('x'), end('y')]);
    expect(overlaps).toEqual(['a: run y (fence 2) began during run x (fence 1)']);
  });

  it('finds a run that begins during one which was killed later', () => {
    expect(judge([start('x', 1), start('y', 2, 2), kill(1), end('y')]).overlaps).toHaveLength(1);
  });

  it('blames nobody for the run of a worker that found its lease gone', () => {
    const verdict = judge([start('x', 1), start('y', 2, 2), end('y'), end('x', 'lost')]);
    expect(verdict).toMatchObject({ overlaps: [], lostLeases: 1 });
  });

  it.each([
    ['the same fence in another process', 2, [2]],
    ['a lower fence', 1, [2, 1]],
  ])('finds %s', (_what, pid, [first = 0, second = first]) => {
    const lines = [start('x', first), end('x'), start('y', second, pid), end('y')];
    expect(judge(lines).staleFences).toHaveLength(1);
  });

  it('lets one process run several times under one fence', () => {
    expect(judge([start('x', 1), end('x', 'failed'), start('y', 1), end('y')]).staleFences).toEqual([]);
  });

  it('knows who is at work', () => {
    const lines = [start('x', 1), start('y', 1, 2, 'b'), start('z', 1, 3, 'c'), end('x'), kill(2)];
    expect(pidsAtWork(lines)).toEqual([3]);
  });

  it('measures from a kill to the next run in each lane that it left', () => {
    const lines = [
      start('x', 1),
      start('y', 1, 1, 'b'),
      kill(1),
      kill(3),
      start('z', 2, 2),
      start('w', 2, 2, 'b'),
    ];
    expect(judge(lines)).toMatchObject({ killsInWork: 1, recoveries: [20, 30], diedBeforeStart: 0 });
  });

  it('tells a slow recovery from several deaths in a row by the fence', () => {
    const lines = [start('x', 1), kill(1), kill(2), start('z', 3, 3)];
    expect(judge(lines)).toMatchObject({ recoveries: [10], diedBeforeStart: 1 });
  });
});
