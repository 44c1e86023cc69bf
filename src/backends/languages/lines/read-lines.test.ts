import { describe, expect, it } from 'vitest';
import { symbolSamples } from '../../../../test/support/codesearch/symbol-samples.ts';
import { definitionsOf, readMarked } from '../../../../test/support/languages/marked-sample.ts';
import { sourceLanguages } from '../languages.ts';
import type { FileSymbol } from '../outline.ts';
import { readLines } from './read-lines.ts';

const samples: Readonly<Record<string, string>> = {
  Cython: `
cdef class Lease(Base): //= class Lease
    cpdef int renew(self, int by) except -1: //= method renew
        return by
    def until(self): //= method until
        pass
cdef extern from "lease.h":
    int elsewhere(int by)
cdef struct Key: //= struct Key
    int length
cdef inline double now() nogil: //= function now
    return 1`,
  Dart: `
abstract class Lease extends Base { //= class Lease
  @override int renew(int by) { //= method renew
    return now();
  }
}
mixin Held {} //= class Held
const limit = 5; //= constant limit
@visibleForTesting Future<int> acquire(String key) async => 1; //= function acquire`,
  Gradle: `
def version(name) { 1 } //= function version
task release(type: Copy) { //= function release
}`,
  GraphQL: `
type Lease { //= struct Lease
  key: String
}
enum Color { RED } //= enum Color
query Leases { leases { key } } //= function Leases`,
  Groovy: `
@CompileStatic class Lease { //= class Lease
  private final String key //= field key
  @Override
  int renew(int by) { //= method renew
    return call(by)
  }
}
def acquire(key) {} //= function acquire
@interface Marker {} //= interface Marker`,
  'Objective-C': `
#define LIMIT 5 //= macro LIMIT
@protocol Clock <NSObject> //= interface Clock
- (void)now;
@end
@protocol Elsewhere;
@implementation Lease //= class Lease
- (void)renew:(int)by { //= method renew
    [self now];
}
+ (instancetype)acquire { return nil; } //= method acquire
@end
static int helper(int a) { //= function helper
}`,
  Perl: `
package Acme::Lease; //= module Acme::Lease
use constant LIMIT => 5; //= constant LIMIT
sub renew { //= function renew
}`,
  PLpgSQL: `
CREATE OR REPLACE FUNCTION app.renew(a int) RETURNS int AS $$ //= function renew
BEGIN
  RETURN a;
END;
$$ LANGUAGE plpgsql;`,
  PowerShell: `
<#
function Commented {}
#>
function Get-Lease { //= function Get-Lease
}
class Lease { //= class Lease
}`,
  R: 'renew <- function(by) { //= function renew\n}',
  Thrift: `
struct Lease { //= struct Lease
  1: string key
}
service Leases { //= interface Leases
}
const i32 LIMIT = 5 //= constant LIMIT`,
  Zig: `
const limit = 5; //= constant limit
pub const Lease = struct { //= struct Lease
    pub fn renew(self: *Lease) void {} //= function renew
};`,
};
const lineLanguages = [...sourceLanguages.values()].filter((each) => 'lines' in each);

function symbolsOf(language: string, text: string): readonly FileSymbol[] {
  return readLines(lineLanguages.find(({ name }) => name === language)!, text);
}

function said(symbols: readonly FileSymbol[]): string[] {
  return symbols.map(({ line, kind, name }) => `${line} ${kind} ${name}`);
}

describe('definitions of', () => {
  it.each(lineLanguages.map(({ name }) => name))('%s', (language) => {
    const { text, expected } = readMarked(samples[language] ?? symbolSamples[language]!);
    expect(said(symbolsOf(language, text))).toEqual(expected);
    const withReturns = text.replaceAll('\n', '\r\n');
    expect(said(symbolsOf(language, withReturns)), 'with carriage returns').toEqual(expected);
  });
});

describe('the extent and the qualified name of a definition', () => {
  it.each([
    ['Lua', 'function A.b:c(x)\n  d()\nend\n\nlocal e = 1', ['A.b.c 1-3', 'e 5-5']],
    ['Swift', 'extension Lease {\n  func f(\n    a: Int\n  ) {\n    g()\n  }\n}', ['Lease.f 2-6']],
    [
      'Dart',
      'class A\n{\n  int f() {\n    g();\n  }\n\n  int h() => 1;\n}\n// end\n',
      ['A 1-8', 'A.f 3-5', 'A.h 7-7'],
    ],
    [
      'Elixir',
      'defmodule A.B do\n  def f, do: 1\n  def g do\n    1\n  end\nend',
      ['B 1-6', 'B.f 2-2', 'B.g 3-5'],
    ],
    ['Cython', 'class A:\n    def f(self):\n        pass\n\n\nx = 1', ['A 1-3', 'A.f 2-3', 'x 6-6']],
    ['Perl', 'sub A::B::f {\n  1;\n}', ['A.B.f 1-3']],
  ])('of %s %j', (language, text, expected) => {
    const found = symbolsOf(language, text);
    expect(found.map(({ qualifiedName, line, endLine }) => `${qualifiedName} ${line}-${endLine}`)).toEqual(
      expected,
    );
  });
});

describe('a line', () => {
  it('may have an annotation before its definition, or above it', () => {
    const text = '@objc(a) @available(iOS 13, *) public func a() {}\n@objc\nfunc b() {}\n';
    expect(said(symbolsOf('Swift', text))).toEqual(['1 function a', '3 function b']);
  });

  it('of more than 512 characters without its comments is skipped', () => {
    const text = `function f(${'a, '.repeat(200)}) end\nfunction g() end\nfunction h() end -- ${'x'.repeat(1_000_000)}`;
    expect(said(symbolsOf('Lua', text))).toEqual(['2 function g', '3 function h']);
  });

  it('is read after a mark of a comment that never ends, as in a pattern', () => {
    const text = '/* one */\nfunc a() {}\nlet all = /src/*/\nfunc b() {}';
    expect(said(symbolsOf('Swift', text))).toEqual(['2 function a', '3 constant all', '4 function b']);
  });

  it('is read without its comments, and not inside of a text between three quotation marks', () => {
    const text = 'let a = """\nfunc b() {}\n"""\nfunc /* of a */ c() {}\n//\nlet d = 1 // func\n';
    expect(said(symbolsOf('Swift', text))).toEqual(['1 constant a', '4 function c', '6 constant d']);
  });

  it('may have names with letters of any language', () => {
    expect(said(symbolsOf('Swift', 'func Größe() {}\nfunc 大きさ() {}'))).toEqual([
      '1 function Größe',
      '2 function 大きさ',
    ]);
  });
});

describe('hostile text', () => {
  it('with definitions nested 10,000 deep has short names', () => {
    const text = Array.from(
      { length: 10_000 },
      (_, depth) => `${' '.repeat(depth % 500)}function f${depth}()`,
    );
    const names = symbolsOf('Lua', text.join('\n')).map(({ qualifiedName }) => qualifiedName);
    expect(names).toHaveLength(10_000);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThan(1_000);
  });
});

describe('the parse thread', () => {
  it('answers with definitions alone, or not at all for more than a person writes', async () => {
    const many = Array.from({ length: 20_000 }, (_, number) => `function f${number}() end`).join('\n');
    const language = 'Lua';
    const files = [
      { path: 'a.lua', language, text: 'local b = require("c")\nfunction f() g() end\n' },
      { path: 'many.lua', language, text: many },
    ];
    expect(await definitionsOf(files)).toEqual([['1 variable b', '2 function f'], ['too_many_names']]);
  });
});
