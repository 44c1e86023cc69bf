import { expect, it } from 'vitest';
import { linesOfEvidence, printUseLines } from './use-lines.ts';

it.each([
  [[7], [], 'only line 7'],
  [[7, 9], [12, 40], 'only lines 7 +2, possibly 12 +28'],
] as const)('reads the lines %j and %j that it prints', (lines, possible, evidence) => {
  expect(printUseLines({ certain: lines, possible }, true)).toBe(evidence);
  expect(linesOfEvidence(evidence)).toEqual({ lines, possible, others: 'unknown' });
});

it.each([
  [[1, 2, 3], 13],
  [[], 1],
])('says of lines that have no room that they are possible', (first, distance) => {
  const many = [...first, ...Array.from({ length: 400 }, (_, index) => 1_000 + distance * index)];
  const evidence = printUseLines({ certain: many, possible: [9_000] }, true);
  expect(evidence.length).toBeLessThanOrEqual(500);
  const { lines, possible, others } = linesOfEvidence(evidence);
  expect(lines.length).toBeGreaterThan(100);
  expect([many.slice(0, lines.length), possible, others]).toEqual([lines, [], 'possible']);
});

it('reads the line of other evidence, if it has one', () => {
  expect(printUseLines({ certain: [9, 7], possible: [1] }, false)).toBe('line 7');
  expect(linesOfEvidence('only lines 7 +2: lease 1.0 (package.json line 3)').lines).toEqual([7, 9]);
  // The text after the lines may be cut.
  expect(linesOfEvidence('only lines 7 +2:').lines).toEqual([7, 9]);
  expect(linesOfEvidence('line 3: ./pool')).toEqual({ lines: [3], possible: [], others: 'same' });
  expect(linesOfEvidence('package.json').lines).toEqual([]);
});
