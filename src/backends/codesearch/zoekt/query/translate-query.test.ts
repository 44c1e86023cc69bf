import { describe, expect, it } from 'vitest';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { NamedRepository, Query } from '../../port.ts';
import { translateQuery } from './translate-query.ts';
import { printQuery, simplify } from './zoekt-query.ts';

const web: NamedRepository = { id: 'web' as RepositoryId, number: 1, name: 'acme/web' };
const api: NamedRepository = { id: 'api' as RepositoryId, number: 2, name: 'acme/API' };

function translate(query: Query, repositories = [web, api]) {
  const translated = translateQuery(query, repositories, ({ id }) => `org/${id}`);
  const simple = simplify(translated.query);
  return { ...translated, text: simple.kind === 'constant' ? simple.value : printQuery(simple) };
}

const needle: Query = { kind: 'literal', text: 'x', caseSensitive: true, field: 'content' };
const branch = (pattern: string): Query => ({ kind: 'branch', pattern });

describe('a query translated for Zoekt', () => {
  it('searches the default branch unless it names another', () => {
    expect(translate(needle)).toMatchObject({
      text: '( ( case:yes c:"x" ) branch:"HEAD" )',
      branches: ['HEAD'],
      usesSymbols: false,
    });
    expect(translate({ kind: 'and', operands: [needle, branch('rel/*')] })).toMatchObject({
      text: '( ( case:yes c:"x" ) branch:"rel/" )',
      branches: ['rel/*'],
    });
  });

  it('refuses a branch under or and not', () => {
    expect(() => translate({ kind: 'or', operands: [needle, branch('a')] })).toThrow(/branch: under/);
    expect(() => translate({ kind: 'not', operand: branch('a') })).toThrow(/branch: under/);
  });

  it('matches repositories by their ids, and nothing for an unknown name', () => {
    expect(translate({ kind: 'repository', text: 'API' }).text).toBe(
      '( r:"^(?:org\\\\x{2F}api)$" branch:"HEAD" )',
    );
    expect(translate({ kind: 'repository', text: 'acme' }).text).toBe('branch:"HEAD"');
    expect(translate({ kind: 'repository', text: 'other' }).text).toBe(false);
    expect(translate({ kind: 'repository', text: 'acme' }, []).text).toBe(false);
  });

  it('matches symbols by text or pattern', () => {
    const symbol = (form: 'literal' | 'regex'): Query => ({
      kind: 'symbol',
      form,
      text: 'a.b',
      caseSensitive: false,
    });
    expect(translate({ kind: 'not', operand: symbol('literal') })).toMatchObject({
      text: '( -( case:no sym:"a\\\\x{2E}b" ) branch:"HEAD" )',
      usesSymbols: true,
    });
    expect(translate(symbol('regex')).text).toBe(
      '( ( case:no sym:"a[^\\\\n\\\\r\\\\x{FFFD}]b" ) branch:"HEAD" )',
    );
  });

  it('applies (?i) at the start of a pattern', () => {
    const query: Query = { kind: 'regex', source: '(?i)ab', caseSensitive: true, field: 'path' };
    expect(translate(query).text).toBe('( ( case:no f:"ab" ) branch:"HEAD" )');
  });
});
