import { describe, expect, it } from 'vitest';
import { progressInWords } from './progress.ts';

describe('progressInWords', () => {
  it('shows the count when the total is known', () => {
    expect(progressInWords({ phase: 'indexing files', done: 20, total: 100 })).toBe('indexing files 20/100');
  });

  it('shows only the phase while the total is unknown', () => {
    expect(progressInWords({ phase: 'counting objects', done: 7, total: 0 })).toBe('counting objects');
  });
});
