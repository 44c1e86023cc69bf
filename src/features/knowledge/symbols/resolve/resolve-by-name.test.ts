import { describe, expect, it } from 'vitest';
import { type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';

const { resolve } = openResolving();

async function callsOf(files: Files): Promise<string[]> {
  return (await resolve(files)).filter((line) => /^(?:call|new) /.test(line)).toSorted();
}

describe('a call resolves by its name alone', () => {
  it('not surely to the definition around it, which may pass the call on', async () => {
    const found = await callsOf({
      'a.rs': 'struct Own;\nimpl Own {\n    fn renew(&self) { self.inner.renew() }\n}\n',
    });
    expect(found).toEqual(['call renew -> a.rs#Own.renew 20 candidates']);
  });

  it.each<readonly [string, Files]>([
    [
      'Java',
      { 'A.java': 'class A {\n  void held() {}\n  void f() { Foreign.held(); int.class.held(); }\n}\n' },
    ],
    [
      'C#',
      { 'A.cs': 'class A\n{\n    void held() {}\n    void f() { Foreign.held(); string.held(); }\n}\n' },
    ],
    ['Rust', { 'a.rs': 'struct A;\nimpl A {\n    fn held(&self) {}\n    fn f() { Foreign::held() }\n}\n' }],
    ['Ruby', { 'a.rb': 'class A\n  def held\n  end\n  def f\n    Foreign.held\n  end\nend\n' }],
    [
      'PHP',
      { 'a.php': '<?php\nclass A {\n  function held() {}\n  function f() { Sub\\Foreign::held(); }\n}\n' },
    ],
  ])('to nothing if the receiver is a type of elsewhere, in %s', async (_, files) => {
    expect(new Set(await callsOf(files))).toEqual(new Set(['call held -> ?']));
  });

  it('to what implements a name, not to a file that only declares it', async () => {
    const found = await callsOf({
      'use.js': "const Help = require('./help');\nfunction show(helper) { helper.boxWrap('a'); }\n",
      'help.js': 'class Help {\n  boxWrap(text) {\n  }\n}\nmodule.exports = Help;\n',
      'index.d.ts': 'export class Help {\n  boxWrap(text: string): string;\n}\n',
    });
    expect(found).toEqual(['call boxWrap -> help.js#Help.boxWrap 60 unique']);
  });

  it('to nothing if the only type that the receiver names has no such member', async () => {
    const found = await callsOf({
      'a.php':
        '<?php\nclass A {\n  function held() {}\n  function f() { Other::held(); }\n}\nclass Other {\n}\n',
    });
    expect(found).toEqual(['call held -> ?']);
  });

  it.each<readonly [string, Files]>([
    ['Java', { 'A.java': 'class A {\n  void close() {}\n  void f() { x.close(); }\n}\n' }],
    ['C#', { 'A.cs': 'class A\n{\n    void Close() {}\n    void f() { x.Close(); }\n}\n' }],
    [
      'Rust',
      { 'a.rs': 'struct A;\nimpl A {\n    fn clone(&self) {}\n    fn f(x: &dyn Any) { y.clone() }\n}\n' },
    ],
    ['Ruby', { 'a.rb': 'class A\n  def each\n  end\n  def f\n    @x.each\n  end\nend\n' }],
  ])('not surely if built-in types have such a method, too, in %s', async (_, files) => {
    expect((await callsOf(files)).filter((line) => !line.endsWith(' 20 candidates'))).toEqual([]);
  });

  it('in Ruby to no method if it stands alone and is a parameter or variable', async () => {
    const found = await callsOf({
      'a.rb': `class A
  def f(name, limit: 1)
    @name = name
    total = sum_of(limit)
    @limit = limit
    @total = total
    @held = held
    total
  end
end
`,
      'b.rb': 'class B\n  def name; end\n  def limit; end\n  def total; end\n  def held; end\nend\n',
    });
    expect(found).toEqual(['call held -> b.rb#B.held 20 candidates', 'call sum_of -> ?']);
  });

  it('in Ruby to what an included module defines', async () => {
    const found = await resolve({
      'a.rb': 'class A\n  include Held\n  def f\n    renew(1)\n  end\nend\n',
      'b.rb': 'module Held\n  def renew(by)\n  end\nend\nclass B\n  def renew(by)\n  end\nend\n',
    });
    expect(found).toContain('call renew -> b.rb#Held.renew 60 unique');
  });

  it('in PHP by the namespace that is written before it', async () => {
    const found = await callsOf({
      'src/A.php': `<?php
namespace Acme;
use Acme\\Http as Web;
class A {
  function f($text) {
    new \\Clock();
    \\decode($text);
    new Web\\Clock();
    new Core\\Clock();
    Core\\Clock::now();
    new \\Acme\\Http\\Clock();
    new Web\\Missing();
  }
}
`,
      'src/Clock.php':
        '<?php\nnamespace Acme;\nclass Clock {\n}\nclass Missing {\n}\nfunction decode($text) {\n}\n',
      'src/Http/Clock.php': '<?php\nnamespace Acme\\Http;\nclass Clock {\n}\n',
      'src/Core/Clock.php': '<?php\nnamespace Acme\\Core;\nclass Clock {\n  static function now() {}\n}\n',
    });
    expect(found).toEqual([
      'call now -> src/Core/Clock.php#Clock.now 90 imported',
      'new Clock -> src/Core/Clock.php#Clock 90 imported',
      'new Clock -> src/Http/Clock.php#Clock 90 imported',
      'new Missing -> ?',
    ]);
  });

  it('in C and C++ to nothing that another source file keeps for itself', async () => {
    const calls = 'int run(void) {\n  LIMIT(1);\n  return renew(1);\n}\n';
    const other = '#define LIMIT(x) (x)\nint renew(int by) {\n  return by;\n}\n';
    expect(await callsOf({ 'a.c': calls, 'b.c': other })).toEqual([
      'call LIMIT -> ?',
      'call renew -> b.c#renew 60 unique',
    ]);
    // Nothing declares to a header what only a source file has.
    expect(await callsOf({ 'a.hpp': calls, 'b.cpp': other })).toContain('call renew -> ?');
    expect(await callsOf({ 'a.hpp': calls, 'b.cpp': other, 'b.hpp': '' })).toContain(
      'call renew -> b.cpp#renew 60 unique',
    );
  });

  it('in C and C++ to no prototype and no call of a macro that the index takes for a definition', async () => {
    const found = await callsOf({
      'a.cpp': '#include "held.h"\nTEST_CASE("renews" * skip())\n{\n  renew(1);\n}\n',
      'held.h': 'int renew(int by)\n  __attribute__((cold));\n',
      'lib/renew.cpp': 'int renew(int by) {\n  return by;\n}\n',
    });
    expect(found).toEqual([
      'call TEST_CASE -> ?',
      'call renew -> lib/renew.cpp#renew 60 unique',
      'call skip -> ?',
    ]);
  });
});
