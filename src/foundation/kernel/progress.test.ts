import { describe, expect, it } from 'vitest';
import { progressInWords } from './progress.ts';

describe('progress in words', () => {
  it('counts towards a known total', () => {
    expect(progressInWords({ phase: 'indexing files', done: 20, total: 100 })).toBe('indexing files 20/100');
  });

  it('names the phase alone while the total is unknown', () => {
    expect(progressInWords({ phase: 'counting objects', done: 7, total: 0 })).toBe('counting objects');
  });
});
