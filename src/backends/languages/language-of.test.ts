import { describe, expect, it } from 'vitest';
import { languageNames, languageOf } from './language-of.ts';

describe('languageOf', () => {
  it.each([
    ['src/main.ts', 'TypeScript'],
    ['web/App.TSX', 'TSX'],
    ['a/b/c.py', 'Python'],
    ['include/x.hpp', 'C++'],
    ['Dockerfile', 'Dockerfile'],
    ['deploy/Dockerfile.dev', 'Dockerfile'],
    ['Makefile', 'Makefile'],
    ['go.mod', 'Go Module'],
    ['tsconfig.json', 'JSON with Comments'],
    ['package.json', 'JSON'],
    ['CMakeLists.txt', 'CMake'],
    ['.gitignore', 'Ignore List'],
    ['docs/README.md', 'Markdown'],
  ])('calls %s %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });

  it('falls back to Text for names that match no rule', () => {
    expect(['LICENSE', 'a.unknownext', '', 'dir.ts/file', 'x.'].map((path) => languageOf(path))).toEqual([
      'Text',
      'Text',
      'Text',
      'Text',
      'Text',
    ]);
  });

  it('does not look up inherited object properties', () => {
    expect(
      ['constructor', 'a.constructor', '__proto__', 'x.toString'].map((path) => languageOf(path)),
    ).toEqual(Array.from({ length: 4 }, () => 'Text'));
  });

  it('lists each language name once', () => {
    expect(new Set(languageNames).size).toBe(languageNames.length);
    expect(languageNames).toContain('TypeScript');
    expect(languageNames.length).toBeGreaterThan(120);
  });
});
