import { describe, expect, it } from 'vitest';
import { and, constant, not, or, printQuery, simplify, type ZoektQuery } from './zoekt-query.ts';

const word = (pattern: string): ZoektQuery => ({
  kind: 'pattern',
  field: 'content',
  pattern,
  caseSensitive: true,
});

describe('a query for Zoekt', () => {
  it('is printed with a separate case: for every pattern', () => {
    const query = or(and(word('a'), not(word('b'))), {
      kind: 'pattern',
      field: 'any',
      pattern: 'c',
      caseSensitive: false,
    });
    expect(printQuery(query)).toBe('( ( ( case:yes c:"a" ) -( case:yes c:"b" ) ) or ( case:no regex:"c" ) )');
    expect(printQuery({ kind: 'repository', pattern: 'a|b' })).toBe('r:"^(?:a|b)$"');
    expect(printQuery({ kind: 'branch', text: 'rel' })).toBe('branch:"rel"');
  });

  it('escapes quotes and backslashes', () => {
    expect(printQuery(word('") or r:"x'))).toBe('( case:yes c:"\\") or r:\\"x" )');
    expect(printQuery(word('a\\'))).toBe('( case:yes c:"a\\\\" )');
  });

  it('is simplified to a constant or to a query without constants', () => {
    const [yes, no, a] = [constant(true), constant(false), word('a')];
    expect(simplify(and(a, yes))).toEqual(a);
    expect(simplify(and(a, no))).toEqual(no);
    expect(simplify(or(a, no))).toEqual(a);
    expect(simplify(or(a, yes))).toEqual(yes);
    expect(simplify(not(or(no, no)))).toEqual(yes);
    expect(simplify(and())).toEqual(yes);
    expect(simplify(or())).toEqual(no);
    expect(simplify(not(and(a, not(no))))).toEqual(not(a));
  });
});
