import { describe, expect, it } from 'vitest';
import { alert } from './shapes.ts';

describe('the details of an alert', () => {
  const detailsOf = (details: unknown) =>
    alert.parse({ id: 'A1', created_at: '2026-01-01T00:00:00Z', body: { details } }).body;

  it('are text of a limited length, whatever shape the sender gave them', () => {
    expect(detailsOf({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(detailsOf('text')).toBe('text');
    expect(detailsOf(null)).toBe('');
    expect(detailsOf('x'.repeat(20_000))).toBe(`${'x'.repeat(16 * 1024)}…`);
    expect(detailsOf(JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)))).toBe('');
  });
});
