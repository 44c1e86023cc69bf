import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query, TextField } from '../../../backends/codesearch/port.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { parseQuery } from './parse-query.ts';

const word = (text: string, field: TextField = 'any'): Query => ({
  kind: 'literal',
  text,
  caseSensitive: /\p{Lu}/u.test(text),
  field,
});
const regex = (source: string, caseSensitive = false, field: TextField = 'any'): Query => ({
  kind: 'regex',
  source,
  caseSensitive,
  field,
});
const symbol = (text: string, form: 'literal' | 'regex' = 'literal'): Query => ({
  kind: 'symbol',
  form,
  text,
  caseSensitive: /\p{Lu}/u.test(text),
});
const branch = (pattern: string): Query => ({ kind: 'branch', pattern });
const and = (...operands: Query[]): Query => ({ kind: 'and', operands });
const go: Query = { kind: 'language', name: 'Go' };
const or = (...operands: Query[]): Query => ({ kind: 'or', operands });
const not = (operand: Query): Query => ({ kind: 'not', operand });

function errorOf(query: string): string {
  try {
    parseQuery(query);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    expect(error.errors).toEqual([{ path: '/q', message: expect.any(String) }]);
    return error.errors[0]?.message ?? '';
  }
  return 'no error';
}

describe('parseQuery', () => {
  it.each<[string, Query]>([
    ['foo', word('foo')],
    ['foo bar', and(word('foo'), word('bar'))],
    ['foo or bar baz', or(word('foo'), and(word('bar'), word('baz')))],
    ['(foo OR bar) baz', and(or(word('foo'), word('bar')), word('baz'))],
    ['-foo bar', and(not(word('foo')), word('bar'))],
    ['-(foo or bar)', not(or(word('foo'), word('bar')))],
    ['--foo', word('--foo')],
    ['"foo bar"', word('foo bar')],
    [String.raw`"say \"hi\" \\ \n"`, word(String.raw`say "hi" \ \n`)],
    ['/foo.*bar/', regex('foo.*bar')],
    ['/foo bar/ baz', and(regex('foo bar'), word('baz'))],
    [String.raw`/a\/b[/]c/`, regex('a/b[/]c')],
    ['/Foo/i', regex('Foo', false)],
    ['regex:foo(a|b)?', regex('foo(a|b)?')],
    ['regex:"a b" c', and(regex('a b'), word('c'))],
    ['regex:/a b/ c', and(regex('a b'), word('c'))],
    ['regex:/Foo/i', regex('Foo', false)],
    ['regex:/api/v1', regex('/api/v1')],
    ['foo -日本', and(word('foo'), not(word('日本')))],
    ['foo -𝒜', and(word('foo'), not(word('𝒜')))],
    ['-Ünicode', not(word('Ünicode'))],
    ['a AND b', and(word('a'), word('b'))],
    ['a AND NOT b OR c', or(and(word('a'), not(word('b'))), word('c'))],
    ['NOT (a or b)', not(or(word('a'), word('b')))],
    ['case:no AND a AND type:path', word('a', 'path')],
    ['a and not b', and(word('a'), word('and'), word('not'), word('b'))],
    ['"AND" "NOT"', and(word('AND'), word('NOT'))],
    ['repo:api foo', and({ kind: 'repository', text: 'api' }, word('foo'))],
    ['file:src/main', word('src/main', 'path')],
    [String.raw`-file:/_test\.go$/ foo`, and(not(regex(String.raw`_test\.go$`, false, 'path')), word('foo'))],
    ['content:foo', word('foo', 'content')],
    ['content:"file:x"', word('file:x', 'content')],
    ['lang:typescript', { kind: 'language', name: 'TypeScript' }],
    ['lang:ts', { kind: 'language', name: 'TypeScript' }],
    ['lang:golang', { kind: 'language', name: 'Go' }],
    ['lang:"Protocol Buffer"', { kind: 'language', name: 'Protocol Buffer' }],
    ['foo type:path', word('foo', 'path')],
    ['sym:parseQuery', symbol('parseQuery')],
    ['symbol:"operator new"', symbol('operator new')],
    ['sym:/^parse.*y$/', symbol('^parse.*y$', 'regex')],
    ['sym:/^Parse/i', { kind: 'symbol', form: 'regex', text: '^Parse', caseSensitive: false }],
    ['parse type:symbol', symbol('parse')],
    ['type:symbol /^parse/ regex:y$', and(symbol('^parse', 'regex'), symbol('y$', 'regex'))],
    ['foo branch:release/*', and(word('foo'), branch('release/*'))],
    ['foo -rev:"v1"', and(word('foo'), not(branch('v1')))],
    ['b:HEAD', branch('HEAD')],
    ['"or"', word('or')],
  ])('reads %s', (text, query) => {
    expect(parseQuery(text)).toEqual(query);
  });

  it.each<[string, Query]>([
    ['r:api f:main.go', and({ kind: 'repository', text: 'api' }, word('main.go', 'path'))],
    ['file:*.py', regex('(?:^|/)[^/]*\\.py$', false, 'path')],
    ['-f:*_test.go foo', and(not(regex('(?:^|/)[^/]*_test\\.go$', false, 'path')), word('foo'))],
    ['path:src/**/*.TS', regex('(?:^|/)src/(?:.*/)?[^/]*\\.TS$', true, 'path')],
    ['-file:test foo', and(not(word('test', 'path')), word('foo'))],
    ['-f:/_test/ -lang:go c:foo', and(not(regex('_test', false, 'path')), not(go), word('foo', 'content'))],
    ['lang:go foo', and(go, word('foo'))],
    ['case:yes foo', { kind: 'literal', text: 'foo', caseSensitive: true, field: 'any' }],
    [
      '(r:a or r:b) foo',
      and(or({ kind: 'repository', text: 'a' }, { kind: 'repository', text: 'b' }), word('foo')),
    ],
    ['rev:main sym:foo', and(branch('main'), symbol('foo'))],
    ['regex:foo.*bar', regex('foo.*bar')],
    ['type:filename foo', word('foo', 'path')],
  ])('accepts the syntax of other code search tools: %s', (text, query) => {
    expect(parseQuery(text)).toEqual(query);
  });

  it.each(['public: void', 'count: 5', 'fork:', 'context:'])(
    'takes the name of a foreign filter for code where a space follows: %s',
    (code) => {
      const words = code.split(' ').map((text) => word(text));
      expect(parseQuery(code)).toEqual(words.length === 1 ? words[0] : and(...words));
    },
  );

  it('reads the deepest nesting that the maximum length allows', () => {
    const depth = 500;
    expect(parseQuery(`${'('.repeat(depth)}a${')'.repeat(depth)}`)).toEqual(word('a'));
    let innermost = parseQuery(`${'-('.repeat(300)}a${')'.repeat(300)}`);
    for (let level = 0; level < 300; level++)
      innermost = innermost.kind === 'not' ? innermost.operand : innermost;
    expect(innermost).toEqual(word('a'));
    expect(errorOf(`${'('.repeat(depth)}a${')'.repeat(depth - 1)}`)).toContain(
      'column 1: this `(` is never closed',
    );
    expect(errorOf(`${'('.repeat(depth)}a${')'.repeat(depth + 1)}`)).toContain('column 1002: this `)`');
  });

  it('accepts terms of one and two characters', () => {
    expect(parseQuery('a')).toEqual(word('a'));
    expect(parseQuery('=>')).toEqual(word('=>'));
    expect(parseQuery('{')).toEqual(word('{'));
    expect(parseQuery('"or"')).toEqual(word('or'));
  });

  it.each([
    'std::vector',
    '->next',
    '--flag',
    '-',
    '/api/v1/users',
    '/api/[id/x',
    '/[id',
    '//',
    'main()',
    'f(a,',
    'http://x',
    'a"b',
    'key:value',
    'case::x',
  ])('reads code literally: %s', (code) => {
    expect(parseQuery(code)).toMatchObject({ kind: 'literal', text: code });
  });

  it('is case-sensitive for a term with an upper-case letter, unless a directive says otherwise', () => {
    expect(parseQuery('foo')).toMatchObject({ caseSensitive: false });
    expect(parseQuery('fooBar')).toMatchObject({ caseSensitive: true });
    expect(parseQuery('Éa')).toMatchObject({ caseSensitive: true });
    expect(parseQuery('fooBar case:no')).toMatchObject({ caseSensitive: false });
    expect(parseQuery('case:yes foo')).toMatchObject({ caseSensitive: true });
    expect(parseQuery('case:auto Foo')).toMatchObject({ caseSensitive: true });
  });

  it('does not read a character class of a pattern as an upper-case letter', () => {
    expect(parseQuery(String.raw`/\S+\p{Lu}\x4A/`)).toMatchObject({ caseSensitive: false });
    expect(parseQuery(String.raw`/\S+A/`)).toMatchObject({ caseSensitive: true });
    expect(parseQuery(String.raw`/\pLfoo(?P<name>a)\A/`)).toMatchObject({ caseSensitive: false });
    expect(parseQuery(String.raw`/\QFoo\E/`)).toMatchObject({ caseSensitive: true });
  });
});

describe('an invalid query', () => {
  it.each([
    ['', 'column 1: it has no search term'],
    ['  case:yes', 'column 1: it has no search term'],
    ['foo (bar', 'column 5: this `(` is never closed'],
    ['foo) bar', 'column 4: this `)` has no matching `(`'],
    ['foo ()', 'column 5: the parentheses are empty'],
    ['foo or', 'column 5: `or` needs a term on each side'],
    ['or foo', 'column 1: `or` needs a term on each side'],
    ['a or or b', 'column 3: `or` needs'],
    ['foo AND', 'column 5: `AND` needs a term on each side; to find the word, write "AND"'],
    ['AND foo', 'column 1: `AND` needs'],
    ['a AND or b', 'column 3: `AND` needs'],
    ['a or AND b', 'column 3: `or` needs'],
    ['a NOT', 'column 3: a term is missing here; to find this text, put it in quotes'],
    ['a "b', 'column 3: this quote is never closed'],
    ['/[unclosed/', 'column 2: the `[` of this expression is never closed'],
    ['a file:/x[a-z/i b', 'column 10: the `[`'],
    ['""', 'column 1: the quotes are empty'],
    ['"a"b', 'column 4: put a space after'],
    ['"a\nb"', 'column 3: a phrase stays on one line'],
    ['a flie:x', 'column 3: there is no filter `flie:`; did you mean `file:`?'],
    ['langauge:go', 'column 1: there is no filter `langauge:`'],
    ['ext:ts', 'column 1: there is no filter `ext:`; write `file:'],
    ['file: x', 'column 1: `file:` needs a value'],
    ['repo:/x/', 'column 1: `repo:` takes a part of the repository name'],
    ['case:maybe x', 'column 1: `case:` takes yes, no, auto'],
    ['case:yes case:no x', 'column 10: `case:` applies to the whole query'],
    ['type:repo x', 'column 1: `type:` takes'],
    ['lang:typscript', 'column 1: unknown language `typscript`; did you mean TypeScript?'],
    ['lang:klingon', 'column 1: unknown language `klingon`; write a name such as'],
    ['sym:', 'column 1: `sym:` needs a value'],
    ['sym:""', 'column 5: the quotes are empty'],
    ['x branch:/main/', 'column 3: `branch:` takes a branch name, in which `*` and `?` are wildcards'],
    ['symbl:main', 'column 1: there is no filter `symbl:`; did you mean `symbol:`?'],
    ['x brnach:main', 'column 3: there is no filter `brnach:`; did you mean `branch:`?'],
    ['count:all x', 'column 1: there is no filter `count:`; use the limit'],
    ['fork:yes x', 'column 1: there is no filter `fork:`; every repository'],
    ['ab\uD800', 'column 3: a lone surrogate'],
    ['\uDC00\uD83D', 'column 1: a lone surrogate'],
    ['x /(?=a)b/', 'column 3: the pattern uses lookaround'],
    ['x regex:(a)\\1', 'column 3: the pattern uses a backreference'],
    ['x -sym:/a{2000}/', 'column 4: the pattern repeats more than 1000 times'],
    [
      'file:.*\\.py$',
      'column 1: this value has wildcards and reads like a regular expression; write a pattern',
    ],
    ['x -file:^src/.*', 'column 4: this value has wildcards'],
    ['file:(a|b)*', 'column 1: this value has wildcards'],
    ['file:/a(b/', 'column 1: the pattern is not a valid regular expression'],
    ['a\0b', 'column 2: a NUL byte'],
    ['x'.repeat(1025), 'column 1: it is longer than 1024 bytes'],
    ['é'.repeat(513), 'column 1: it is longer than 1024 bytes'],
    [Array.from({ length: 21 }, () => 'a').join(' '), 'column 41: a query may have at most 20 terms'],
  ])('is refused with its column and the problem: %s', (query, problem) => {
    expect(errorOf(query)).toContain(problem);
  });

  it('is not one of the maximum length and number of terms', () => {
    expect(parseQuery('x'.repeat(1024))).toMatchObject({ kind: 'literal' });
    expect(parseQuery(Array.from({ length: 20 }, () => 'a').join(' '))).toMatchObject({ kind: 'and' });
  });

  it('throws nothing but InvalidInput', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'()"-/\\ or:afileb[]'.split('')) }),
        ),
        (text) => {
          try {
            parseQuery(text);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidInput);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a printed tree', () => {
  const plain = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((s) => !/[\0\r\n]/u.test(s));
  const leaf = fc.oneof(
    fc
      .tuple(plain, fc.constantFrom<TextField>('any', 'content', 'path'))
      .map(([text, field]) => word(text, field)),
    plain.map((text): Query => ({ kind: 'repository', text })),
    fc.constantFrom('TypeScript', 'C++', "Cap'n Proto").map((name): Query => ({ kind: 'language', name })),
    fc.constantFrom('a.b', 'x[/"]y', 'p q').map((source) => regex(source)),
    plain.map((text) => symbol(text)),
    fc.constantFrom('^get', 'x[/"]y').map((source) => symbol(source, 'regex')),
    fc.constantFrom('main', 'release/*', 'a-b (c)').map(branch),
  );
  const { tree } = fc.letrec<{ tree: Query }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((operands) => and(...operands)),
      fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((operands) => or(...operands)),
      tie('tree').map(not),
    ),
  }));

  it('is parsed to the same tree', () => {
    fc.assert(
      fc.property(tree, (query) => {
        const text = print(query);
        fc.pre(Buffer.byteLength(text) <= 1024 && leaves(query) <= 20);
        expect(parseQuery(text)).toEqual(query);
      }),
      { numRuns: 1000 },
    );
  });
});

const prefixes = { any: '', content: 'content:', path: 'file:' };

function print(query: Query): string {
  if (query.kind === 'and') return `(${query.operands.map(print).join(' ')})`;
  if (query.kind === 'or') return `(${query.operands.map(print).join(' or ')})`;
  if (query.kind === 'not') {
    return `-${query.operand.kind === 'not' ? `(${print(query.operand)})` : print(query.operand)}`;
  }
  if (query.kind === 'literal') return `${prefixes[query.field]}${quote(query.text)}`;
  if (query.kind === 'regex') return `${prefixes[query.field]}/${query.source}/`;
  if (query.kind === 'repository') return `repo:${quote(query.text)}`;
  if (query.kind === 'language') return `lang:${quote(query.name)}`;
  if (query.kind === 'branch') return `branch:${quote(query.pattern)}`;
  if (query.kind === 'word') throw new Error('A text of a query has no whole words.');
  return `sym:${query.form === 'regex' ? `/${query.text}/` : quote(query.text)}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

function leaves(query: Query): number {
  if (query.kind === 'not') return leaves(query.operand);
  return 'operands' in query ? query.operands.reduce((sum, operand) => sum + leaves(operand), 0) : 1;
}
