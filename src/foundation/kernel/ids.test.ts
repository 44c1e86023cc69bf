import { expect, it } from 'vitest';
import { isUuid, type JobId, newId } from './ids.ts';

it('orders the ids of one millisecond as they were created', () => {
  const ids = Array.from({ length: 500 }, () => newId<JobId>(1_700_000_000_000));
  expect(ids).toEqual(ids.toSorted());
  expect(ids.every(isUuid)).toBe(true);
  expect(new Set(ids.map((id) => id[14]))).toEqual(new Set(['7']));
});

it('orders the ids of different milliseconds by time', () => {
  const first = newId<JobId>(1_700_000_000_000);
  expect(newId<JobId>(1_700_000_000_001) > first).toBe(true);
});
