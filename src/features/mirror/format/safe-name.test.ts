import { describe, expect, it } from 'vitest';
import { safeName } from './safe-name.ts';

describe('safeName', () => {
  it.each(['ENG-12', 'PT4KHLK', 'A.B_C'])('keeps %s', (text) => {
    expect(safeName(text, 'upper')).toBe(text);
  });

  it.each([
    ['a path', '../../ETC', /^ETC-[\dA-F]{8}$/u],
    ['a device of Windows', 'CON', /^_CON-[\dA-F]{8}$/u],
    ['a device with an extension', 'AUX.MD', /^_AUX\.MD-[\dA-F]{8}$/u],
    ['a leading dot', '.GIT', /^GIT-[\dA-F]{8}$/u],
    ['a trailing dot', 'A.', /^A-[\dA-F]{8}$/u],
    ['other scripts', '漢字', /^[\dA-F]{8}$/u],
    ['nothing', '', /^[\dA-F]{8}$/u],
    ['an accent', 'É', /^[\dA-F]{8}$/u],
    ['81 characters', 'A'.repeat(81), /^A{70}-[\dA-F]{8}$/u],
  ])('gives a hash to %s', (_, text, name) => {
    expect(safeName(text, 'upper')).toMatch(name);
  });

  it('gives names to all texts that differ on a file system without case', () => {
    const texts = ['eng-1', 'ENG-1', 'Eng-1', 'ENG 1', 'ENG/1', 'ENG-1.', '\u212aEY', 'KEY', 'key'];
    for (const letters of ['upper', 'lower'] as const) {
      const names = texts.map((text) => safeName(text, letters).toLowerCase());
      expect(new Set(names).size).toBe(texts.length);
    }
  });
});
