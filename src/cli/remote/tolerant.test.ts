import { expect, it } from 'vitest';
import { z } from 'zod';
import { tolerant } from './tolerant.ts';

const record = z.object({
  state: z.enum(['queued', 'indexed']),
  error: z.object({ code: z.string() }).nullable(),
  kind: z.enum(['a']).optional(),
  items: z.array(z.object({ n: z.int() })).readonly(),
});

it('keeps the fields that the record does not name', () => {
  const answer = { state: 'queued', error: { code: 'x', more: 1 }, items: [{ n: 1, more: 2 }], more: 3 };
  expect(tolerant(record).parse(answer)).toEqual(answer);
});

it('accepts a value that the enumeration does not name', () => {
  const answer = { state: 'paused', kind: 'b', error: null, items: [] };
  expect(tolerant(record).parse(answer)).toEqual(answer);
});

it('accepts that a field which can be null is absent', () => {
  expect(tolerant(record).parse({ state: 'queued', items: [] })).toEqual({ state: 'queued', items: [] });
});

it.each([{ state: 1, items: [] }, { state: 'queued' }, { state: 'queued', items: [{ n: 'one' }] }])(
  'refuses %j, which lacks a field or has one of another type',
  (answer) => {
    expect(tolerant(record).safeParse(answer).success).toBe(false);
  },
);
