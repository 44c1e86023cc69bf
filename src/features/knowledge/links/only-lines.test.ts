import { expect, it } from 'vitest';
import { linesOfEvidence, printOnlyLines } from './only-lines.ts';

it('reads the lines that it prints', () => {
  expect(printOnlyLines([7, 9])).toBe('only lines 7, 9');
  expect(linesOfEvidence(printOnlyLines([7, 9]))).toEqual({ lines: [7, 9], isOnly: true });
  expect(linesOfEvidence(printOnlyLines([7]))).toEqual({ lines: [7], isOnly: true });
});

it('reads the line of other evidence, if it has one', () => {
  expect(linesOfEvidence('line 3: ./pool')).toEqual({ lines: [3], isOnly: false });
  expect(linesOfEvidence('package.json')).toEqual({ lines: [], isOnly: false });
});
