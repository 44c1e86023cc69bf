import { describe, expect, it } from 'vitest';
import { escapeHidden, visibleLine, visibleSource, visibleText } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['bidirectional overrides', 'a\u202Eb\u2066c\u2069'],
    ['zero-width characters', 'a\u200Bb\u200D\u2060c\uFEFF'],
    ['tag characters', 'a\u{E0041}\u{E007F}bc'],
    ['control characters', 'a\u0000\u001B\u0085bc\u007F'],
    ['soft hyphens and fillers', 'a\u00ADb\u3164c\uFE0F'],
  ])('removes %s', (_, text) => {
    expect(visibleText(text)).toBe('abc');
    expect(visibleLine(text)).toBe('abc');
  });

  it('keeps tabs, newlines and every script', () => {
    expect(visibleText('\tä\r\nб 漢\n')).toBe('\tä\nб 漢\n');
  });

  it('makes no line of a lone carriage return', () => {
    expect(visibleText('a\r\nb\rc\r\r\n')).toBe('a\nb c \n');
  });

  it('keeps words apart that a line separator parts', () => {
    expect(visibleText('a\u2028b\u2029c')).toBe('a b c');
    expect(visibleLine('a\u2028b\u2029c')).toBe('a b c');
  });

  it('writes one line in visibleLine', () => {
    expect(visibleLine('\ta\r\n[2] b\rc\n')).toBe('\ta [2] b c ');
  });
});

it('visibleSource keeps the lines of a file, and writes what is hidden as escapes', () => {
  expect(visibleSource('a\r\nb\rc\u2028\n\u001B\u202E\td\uD800')).toBe(
    'a\nb\\u000dc\\u2028\n\\u001b\\u202e\td\uFFFD',
  );
});

describe('escapeHidden', () => {
  it.each([
    ['\u001B[31m', '\\u001b[31m'],
    ['\u009B31m', '\\u009b31m'],
    ['a\u202Eb\u2066', 'a\\u202eb\\u2066'],
    ['\u{E0041}', '\\udb40\\udc41'],
    ['\u2028', '\\u2028'],
    ['ä\n\tб 漢', 'ä\n\tб 漢'],
  ])('writes %j as %j', (text, escaped) => {
    expect(escapeHidden(text)).toBe(escaped);
  });

  it('does not change the value of JSON', () => {
    const value = { 'a\u009B': 'b\u202E\u{E0041}\u2028' };
    expect(JSON.parse(escapeHidden(JSON.stringify(value)))).toEqual(value);
  });
});
