import { describe, expect, it } from 'vitest';
import { languageNames, languageOf } from '../../language.ts';
import { languagePaths } from './language-paths.ts';
import { simplify, type ZoektQuery } from './zoekt-query.ts';

function holds(query: ZoektQuery, path: string): boolean {
  switch (query.kind) {
    case 'and':
      return query.operands.every((operand) => holds(operand, path));
    case 'or':
      return query.operands.some((operand) => holds(operand, path));
    case 'not':
      return !holds(query.operand, path);
    case 'constant':
      return query.value;
    case 'pattern':
      return new RegExp(query.pattern.replaceAll(/\\x\{(\w+)\}/g, '\\u{$1}'), 'iu').test(path);
    case 'repository':
    case 'branch':
      throw new RangeError(query.kind);
  }
}

describe('the files of a language, by their paths', () => {
  const paths =
    'src/a.ts A.GO x/go.mod go.mod.go Dockerfile a/dockerfile.ts makefile-x README a.txt .env x.h x.c++ Jenkinsfile.old a.unknown dir.ts/file tsconfig.json a.json gemfile'.split(
      ' ',
    );

  it('are those that languageOf says', () => {
    for (const name of [...languageNames, 'text', 'TYPESCRIPT']) {
      const query = simplify(languagePaths(name));
      for (const path of paths) {
        expect(holds(query, path), `${name}: ${path}`).toBe(
          languageOf(path).toLowerCase() === name.toLowerCase(),
        );
      }
    }
  });

  it('are none for a name of no language', () => {
    expect(simplify(languagePaths('Klingon'))).toEqual({ kind: 'constant', value: false });
  });
});
