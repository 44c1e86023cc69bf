import { describe, expect, it } from 'vitest';
import { languageNames, languageOf } from '../../../languages/port.ts';
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

describe('the path query of a language', () => {
  const paths =
    'src/a.ts A.GO x/go.mod go.mod.go Dockerfile a/dockerfile.ts makefile-x README a.txt .env x.h x.c++ Jenkinsfile.old a.unknown dir.ts/file tsconfig.json a.json gemfile'.split(
      ' ',
    );

  it('matches the same files as languageOf', () => {
    for (const name of [...languageNames, 'text', 'TYPESCRIPT']) {
      const query = simplify(languagePaths(name));
      for (const path of paths) {
        expect(holds(query, path), `${name}: ${path}`).toBe(
          languageOf(path).toLowerCase() === name.toLowerCase(),
        );
      }
    }
  });

  it('matches nothing for an unknown language', () => {
    expect(simplify(languagePaths('Klingon'))).toEqual({ kind: 'constant', value: false });
  });
});
