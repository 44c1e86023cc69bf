import { describe, expect, it } from 'vitest';
import { visibleLine, visibleText } from './visible-text.ts';

describe('text from elsewhere', () => {
  it.each([
    ['bidirectional overrides', 'a\u202Eb\u2066c\u2069'],
    ['zero-width characters', 'a\u200Bb\u200D\u2060c\uFEFF'],
    ['tag characters', 'a\u{E0041}\u{E007F}bc'],
    ['control characters', 'a\u0000\u001B\u0085bc\u007F'],
    ['soft hyphens and fillers', 'a\u00ADb\u3164c\uFE0F'],
    ['line separators', 'a\u2028b\u2029c'],
  ])('loses its %s', (_, text) => {
    expect(visibleText(text)).toBe('abc');
    expect(visibleLine(text)).toBe('abc');
  });

  it('keeps tabs, newlines and every script', () => {
    expect(visibleText('\tä\r\nб 漢\n')).toBe('\tä\nб 漢\n');
  });

  it('forges no second line where one is shown', () => {
    expect(visibleLine('\ta\r\n[2] b\rc\n')).toBe('\ta [2] b c ');
  });
});
