import { expect, it } from 'vitest';
import { linesOfEvidence, printOnlyLines } from './use-lines.ts';

it.each([
  [[7], [], 'only lines 7'],
  [[7, 9], [12, 40], 'only lines 7 +2, possibly 12 +28'],
] as const)('reads the lines %j and %j that it prints', (lines, possible, evidence) => {
  expect(printOnlyLines(lines, possible)).toBe(evidence);
  expect(linesOfEvidence(evidence)).toEqual({ lines, possible, others: 'unknown' });
});

it.each([
  [[1, 2, 3], 13],
  [[], 1],
])('says of lines that have no room that they are possible', (first, distance) => {
  const many = [...first, ...Array.from({ length: 400 }, (_, index) => 1_000 + distance * index)];
  const evidence = printOnlyLines(many, [9_000]);
  expect(evidence.length).toBeLessThanOrEqual(500);
  const { lines, possible, others } = linesOfEvidence(evidence);
  expect(lines.length).toBeGreaterThan(100);
  expect([many.slice(0, lines.length), possible, others]).toEqual([lines, [], 'possible']);
});

it('reads the line of other evidence, if it has one', () => {
  expect(linesOfEvidence('line 3: ./pool')).toEqual({ lines: [3], possible: [], others: 'same' });
  expect(linesOfEvidence('package.json').lines).toEqual([]);
});
