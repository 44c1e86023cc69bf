import { describe, expect, it } from 'vitest';
import { describeFile, type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';
import type { ParsedFile } from '../../../../backends/languages/port.ts';
import { SymbolTable } from './symbol-table.ts';

const { parse, resolve } = openResolving();

describe('a call resolves', () => {
  it('to its file first, then to an imported name, with falling confidence', async () => {
    const found = await resolve({
      'src/a.ts': `import { renew as again } from './b.ts';
import type { Held } from './b.ts';
function own() {}
export class Lease implements Held {
  run(held: Held) { own(); again(); this.stop(); held.release(); }
  stop() {}
}
`,
      'src/b.ts': 'export function renew() {}\nexport interface Held {\n  release(): void;\n}\n',
      // Definitions of the same names that nothing connects with the call.
      'other/c.ts':
        'export function renew() {}\nexport function own() {}\nclass X {\n  stop() {}\n  release() {}\n}\n',
    });
    expect(found).toEqual(
      [
        'imports src/b.ts',
        'call own -> src/a.ts#own 100 same_file',
        'call renew -> src/b.ts#renew 90 imported',
        'call stop -> src/a.ts#Lease.stop 100 same_file',
        'call release -> src/b.ts#Held.release 90 imported',
        'inherits Held -> src/b.ts#Held 90 imported',
        'type Held -> src/b.ts#Held 90 imported',
      ].map((line) => line.replace('call renew', 'call again')),
    );
  });

  it('to no definition of the repository if the name is imported from elsewhere, or built in', async () => {
    const found = await resolve({
      'a.ts':
        "import { join } from 'node:path';\nimport * as fs from 'node:fs';\njoin(); fs.read(); fetch(); new Map();\n",
      'b.ts':
        'export function join() {}\nexport function read() {}\nexport function fetch() {}\nexport class Map {}\n',
    });
    expect(found).toEqual(['call join -> ?', 'call read -> ?', 'call fetch -> ?', 'new Map -> ?']);
  });

  it('to candidates of low confidence if only the name fits, and to nothing if too many do', async () => {
    const files: Record<string, string> = { 'a.py': 'def f(x):\n    x.one()\n    x.two()\n    x.many()\n' };
    for (let count = 0; count < 21; count++) {
      const two = count < 2 ? '    def two(self): pass\n' : '';
      const one = count < 1 ? '    def one(self): pass\n' : '';
      files[`c${count}.py`] = `class C:\n${one}${two}    def many(self): pass\n`;
    }
    expect(await resolve(files)).toEqual([
      'call one -> c0.py#C.one 20 candidates',
      'call two -> c0.py#C.two, c1.py#C.two 10 candidates',
      'call many -> ?',
    ]);
  });

  it('to the only method of its name, but not surely if built-in types have one, too', async () => {
    const found = await resolve({
      'a.py': 'from b import B\n\ndef f(x):\n    x.held()\n    x.startswith()\n',
      'b.py': 'class B:\n    def held(self): pass\n    def startswith(self): pass\n',
    });
    expect(found.slice(1)).toEqual([
      'call held -> b.py#B.held 60 unique',
      'call startswith -> b.py#B.startswith 20 candidates',
    ]);
  });

  it('by the declared type of its receiver, and to nothing if that type is from elsewhere', async () => {
    const found = await resolve({
      'acme/A.java': `package acme;
import acme.core.Clock;
import java.util.List;
class A {
  private final Clock clock;
  private final List<String> names;
  void run(Store store, String text) { clock.tick(); this.clock.tick(); store.put(); names.add(); text.trim(); }
}
`,
      'acme/Store.java': 'package acme;\nclass Store extends Base {\n}\n',
      'acme/Base.java': 'package acme;\nclass Base {\n  void put() {\n  }\n}\n',
      'acme/core/Clock.java': 'package acme.core;\npublic class Clock {\n  public void tick() {\n  }\n}\n',
      'acme/Bag.java': 'package acme;\nclass Bag {\n  void add() {\n  }\n  void trim() {\n  }\n}\n',
    });
    expect(found.filter((line) => line.startsWith('call'))).toEqual([
      'call tick -> acme/core/Clock.java#Clock.tick 90 imported',
      'call put -> acme/Base.java#Base.put 60 same_package',
      'call add -> ?',
      'call trim -> ?',
    ]);
  });

  it('to an inherited method, through types that inherit each other in a circle', async () => {
    const found = await resolve({
      'a.py':
        'from b import B\n\nclass A(B):\n    def run(self):\n        self.held()\n        self.missing()\n',
      'b.py': 'from a import A\n\nclass B(A):\n    def held(self): pass\n',
    });
    expect(found).toEqual([
      'imports b.py',
      'call held -> b.py#B.held 90 imported',
      'inherits B -> b.py#B 90 imported',
      'call missing -> ?',
    ]);
  });

  it('through re-exports, also if they form a circle', async () => {
    const found = await resolve({
      'a.ts': "import { renew, other, lost } from './index.ts';\nrenew(); other(); lost();\n",
      'index.ts': "export * from './one.ts';\nexport { second as other } from './two.ts';\n",
      'one.ts': "export * from './index.ts';\nexport function renew() {}\n",
      'two.ts': 'export function second() {}\n',
    });
    expect(found).toEqual([
      'imports index.ts',
      'call renew -> one.ts#renew 90 imported',
      'call other -> two.ts#second 90 imported',
      'call lost -> ?',
    ]);
  });

  it('never to what another file of a package imports for itself', async () => {
    const found = await resolve({
      'a.kt': 'package a\nimport b.*\nfun run() { helper(); own() }\n',
      'b.kt': 'package b\nimport c.*\nfun own() {}\n',
      'c.kt': 'package c\nfun helper() {}\n',
    });
    expect(found).toContain('call own -> b.kt#own 90 imported');
    expect(found).toContain('call helper -> ?');
  });

  it('to a method of its type only with a receiver, where the language demands one', async () => {
    const found = await resolve({
      'a.py':
        'class A:\n    def run(self):\n        run()\n        def inner(): pass\n        inner()\n\ndef other():\n    inner()\n',
    });
    expect(found).toEqual([
      'call inner -> a.py#A.run.inner 100 same_file',
      'call run -> ?',
      'call inner -> ?',
    ]);
  });

  it('through files and types that name each other in a cycle', async () => {
    const found = await resolve({
      'a.ts':
        "import { renew, lost } from './b.ts';\nimport { Ant } from './b.ts';\nrenew(); lost(); new Ant().gone();\nfunction f(x: Ant) { x.stop(); x.gone(); }\n",
      'b.ts': "export * from './c.ts';\nimport { Bee } from './c.ts';\nexport class Ant extends Bee {}\n",
      'c.ts':
        "export * from './b.ts';\nimport { Ant } from './b.ts';\nexport function renew() {}\nexport class Bee extends Ant {\n  stop() {}\n}\n",
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'imports b.ts',
        'call renew -> c.ts#renew 90 imported',
        'call lost -> ?',
        'call stop -> c.ts#Bee.stop 90 imported',
        'call gone -> ?',
      ]),
    );
  });

  it('to names in any script', async () => {
    const found = await resolve({
      'a.py': 'from 道具 import 大きさ\ndef größe():\n    return 大きさ()\nприм = größe()\n',
      '道具.py': 'def 大きさ(): pass\n',
    });
    expect(found).toEqual([
      'imports 道具.py',
      'call 大きさ -> 道具.py#大きさ 90 imported',
      'call größe -> a.py#größe 100 same_file',
    ]);
  });

  it('to the file of its repository as it is now', async () => {
    const [a, b] = await parse({ 'a.py': 'from b import f\nf()\n', 'b.py': 'def f(): pass\n' });
    const files = new Map<string, ParsedFile>([
      ['a.py', a!],
      ['b.py', b!],
    ]);
    const table = new SymbolTable((path) => files.get(path)!);
    for (const file of files.values()) table.add(file);
    expect(describeFile(table, a!)).toContain('call f -> b.py#f 90 imported');
    table.delete('b.py');
    const empty = { ...b!, symbols: [] };
    files.set('b.py', empty);
    table.add(empty);
    expect(describeFile(table, a!)).toEqual(['imports b.py', 'call f -> ?']);
    table.delete('b.py');
    expect(describeFile(table, a!)).toEqual(['call f -> ?']);
  });
});

describe('an import resolves', () => {
  it.each<[string, Files, readonly string[]]>([
    [
      'of JavaScript to a file, an index or what the compiler will write',
      {
        'src/a.ts': "import './b';\nimport './c.js';\nimport './d';\nimport '../e.json';\nimport 'f';\n",
        'src/b.tsx': '',
        'src/c.ts': '',
        'src/d/index.ts': '',
        'src/f.ts': '',
      },
      ['imports src/b.tsx', 'imports src/c.ts', 'imports src/d/index.ts'],
    ],
    [
      'of Python to modules and packages, relative or from a source root',
      {
        'src/acme/a.py':
          'from . import b\nfrom ..other import c\nimport acme.d\nfrom acme.e import F\nimport json\n',
        'src/acme/__init__.py': '',
        'src/acme/b.py': '',
        'src/other/c.py': '',
        'src/other/__init__.py': '',
        'src/acme/d.py': '',
        'src/acme/e/__init__.py': 'class F: pass\n',
        // Not the module of the standard library.
        'src/acme/json.py': '',
      },
      [
        'imports src/acme/b.py',
        'imports src/other/c.py',
        'imports src/acme/d.py',
        'imports src/acme/e/__init__.py',
      ],
    ],
    [
      'of Java to a class, a class that encloses it, or a package',
      {
        'app/A.java':
          'package app;\nimport acme.B;\nimport acme.B.Inner;\nimport acme.core.*;\nimport java.util.List;\n',
        'lib/acme/B.java': 'package acme;\n',
        'lib/acme/core/C.java': 'package acme.core;\n',
        'lib/other/List.java': 'package other;\n',
      },
      ['imports lib/acme/B.java', 'imports lib/acme/core/C.java'],
    ],
    [
      'of Kotlin to a file of the package that defines the name, or the type around it',
      {
        'app/A.kt':
          'package app\nimport acme.renew\nimport acme.Kept.Inner as K\nimport acme.core.*\nimport acme.missing\n',
        'lib/leases.kt': 'package acme\nfun renew() {}\n',
        'lib/kept.kt': 'package acme\nclass Kept {\n  class Inner\n}\n',
        'lib/C.java': 'package acme.core;\n',
      },
      ['imports lib/leases.kt', 'imports lib/kept.kt', 'imports lib/C.java'],
    ],
    [
      'of Rust to a module of the crate, by its place, or of another crate',
      {
        'lease/src/store/disk.rs':
          'use crate::clock::Clock;\nuse super::memory::Memory;\nuse self::inner::X;\nuse other_crate::wire::Y;\nuse std::fs::File;\n',
        'lease/src/lib.rs': '',
        'lease/src/clock.rs': '',
        'lease/src/store/memory.rs': '',
        'lease/src/store/disk/inner.rs': '',
        'other-crate/src/lib.rs': '',
        'other-crate/src/wire.rs': '',
        'other-crate/Cargo.toml': '[package]\nname = "other-crate"\n',
        'fs/File.rs': '',
      },
      [
        'imports lease/src/clock.rs',
        'imports lease/src/store/memory.rs',
        'imports lease/src/store/disk/inner.rs',
        'imports other-crate/src/wire.rs',
      ],
    ],
    [
      'of C to a header beside it or elsewhere, and the source of that header',
      {
        'src/a.c': '#include "b.h"\n#include <acme/c.h>\n#include <stdio.h>\n',
        'src/b.h': '',
        'src/b.c': '',
        'include/acme/c.h': '',
      },
      ['imports src/b.h', 'imports src/b.c', 'imports include/acme/c.h'],
    ],
    [
      'of C# to the files of a namespace',
      {
        'A.cs': 'using Acme.Core;\nusing System;\n',
        'core/B.cs': 'namespace Acme.Core;\nclass B { }\n',
        'core/C.cs': 'namespace Acme.Core\n{\n  class C { }\n}\n',
      },
      ['imports core/B.cs', 'imports core/C.cs'],
    ],
    [
      'of Ruby to a file beside it, or in a folder lib',
      {
        'app/a.rb': "require_relative 'b'\nrequire 'acme/c'\nrequire 'json'\n",
        'app/b.rb': '',
        'lib/acme/c.rb': '',
        'app/json/x.rb': '',
      },
      ['imports app/b.rb', 'imports lib/acme/c.rb'],
    ],
    [
      'of PHP to the class of a namespace, or to a file',
      {
        'src/A.php': "<?php\nuse Acme\\Core\\Clock;\nrequire __DIR__ . '/lib.php';\n",
        'src/Core/Clock.php': '<?php\nnamespace Acme\\Core;\nclass Clock {\n}\n',
        'src/lib.php': '<?php\n',
      },
      ['imports src/Core/Clock.php', 'imports src/lib.php'],
    ],
    [
      'of a shell to the file',
      { 'bin/a.sh': '. "$HERE/lib/b.sh"\nsource ./c.sh\n', 'bin/lib/b.sh': '', 'bin/c.sh': '' },
      ['imports bin/lib/b.sh', 'imports bin/c.sh'],
    ],
  ])('%s', async (_, files, imports) => {
    expect((await resolve(files)).filter((line) => line.startsWith('imports'))).toEqual(imports);
  });

  it('of Go to the files of a package, by the module of go.mod', async () => {
    const files = {
      'cmd/a.go':
        'package main\n\nimport (\n\t"example.org/lease/store"\n\t"fmt"\n)\n\nfunc main() {\n\tstore.Open()\n\tfmt.Println()\n\thelp()\n}\n',
      'cmd/help.go': 'package main\n\nfunc help() {}\n',
      'store/store.go': 'package store\n\nfunc Open() {}\n',
      'store/store_test.go': 'package store\n\nfunc Println() {}\n',
      'go.mod': 'module example.org/lease\n',
    };
    expect(await resolve(files)).toEqual([
      'imports store/store.go',
      'call Open -> store/store.go#Open 90 imported',
      'call help -> cmd/help.go#help 60 same_package',
      'call Println -> ?',
    ]);
  });
});
