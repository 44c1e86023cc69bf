import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, '0 files', '0 deliveries'],
  [1, '1 file', '1 delivery'],
  [2, '2 files', '2 deliveries'],
])('%i is counted as %s and %s', (count, files, deliveries) => {
  expect([counted(count, 'file'), counted(count, 'delivery', 'deliveries')]).toEqual([files, deliveries]);
});
