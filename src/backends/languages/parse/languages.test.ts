import { beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { readImportPaths } from '../import-paths.ts';
import { languages } from '../languages.ts';
import type { ParsedFile } from '../outline.ts';
import { ParseQueue } from './parse-queue.ts';

/** One file of each language, with what it says: definitions, imports, then calls and references with their place. */
const samples: Readonly<Record<string, { readonly text: string; readonly says: readonly string[] }>> = {
  Astro: {
    text: "---\nimport { now } from './clock.ts';\nconst until = now();\n---\n<p>{until}</p>\n<script>\n  renew();\n</script>\n",
    says: [
      'until 3-3',
      'import ./clock.ts',
      'import now of ./clock.ts as now',
      'until calls now',
      'calls renew',
    ],
  },
  'Jupyter Notebook': {
    text: '{\n "cells": [\n  {\n   "cell_type": "code",\n   "source": [\n    "def renew():\\n",\n    "    acquire()"\n   ]\n  }\n ]\n}\n',
    says: ['renew 6-7', 'renew calls acquire'],
  },
  Starlark: {
    text: 'load("//lib:defs.bzl", "acquire", again = "renew")\n\ndef lease(name):\n    acquire(name = name)\n\nacquire(name = "held")\n',
    says: [
      'lease 3-4',
      'held 6-6',
      'import acquire of //lib:defs.bzl as acquire',
      'import renew of //lib:defs.bzl as again',
      'lease calls acquire',
      'held calls acquire',
    ],
  },
  Svelte: {
    text: '<h1>Lease</h1>\n<script lang="ts">\n  function renew(): void {\n    acquire();\n  }\n</script>\n',
    says: ['renew 3-5', 'renew calls acquire'],
  },
  Vue: {
    text: '<template><p /></template>\n<script setup lang="ts">\nconst renew = (): void => acquire();\n</script>\n',
    says: ['renew 3-3', 'renew calls acquire'],
  },
  Shell: {
    text: '. lib/common.sh\nrenew() {\n  acquire "$1"\n}\n',
    says: ['renew 2-4', 'import * of lib/common.sh', 'renew calls acquire'],
  },
  C: {
    text: '#include "lease.h"\nstatic int renew(struct lease *l) {\n  return l->ops->now(acquire(l));\n}\n',
    says: [
      'renew 2-4',
      'import * of lease.h',
      'renew calls l.ops.now',
      'renew calls acquire',
      'renew type lease',
    ],
  },
  'C++': {
    text: '#include <lease.h>\nint acme::Lease::renew(Clock& clock) {\n  auto l = new Lease();\n  return clock.now() + acme::acquire(l);\n}\n',
    says: [
      'acme.Lease.renew 2-5',
      'import * of lease.h',
      'acme.Lease.renew new Lease',
      'acme.Lease.renew calls clock.now of Clock',
      'acme.Lease.renew calls acme.acquire of ',
      'acme.Lease.renew type Clock',
    ],
  },
  Cuda: {
    text: '#include "lease.cuh"\n__global__ void renew(Clock *clock) {\n  clock->now(acquire());\n}\n',
    says: [
      'renew 2-4',
      'import * of lease.cuh',
      'renew calls clock.now of Clock',
      'renew calls acquire',
      'renew type Clock',
    ],
  },
  'C#': {
    text: 'using Acme.Core;\nnamespace Acme.Leases;\nclass Lease : Base\n{\n    private Clock clock;\n    public int Renew(int by)\n    {\n        return clock.Now() + Acquire(new Key());\n    }\n}\n',
    says: [
      'package Acme.Leases',
      'Acme.Leases 2-2',
      'Lease 3-10',
      'Lease.clock 5-5',
      'Lease.Renew 6-9',
      'import * of Acme.Core',
      'Lease.Renew calls clock.Now of Clock',
      'Lease.Renew calls Acquire',
      'Lease.Renew new Key',
      'Lease inherits Base',
      'Lease.clock type Clock',
    ],
  },
  Go: {
    text: 'package lease\n\nimport (\n\t"fmt"\n\tc "example.org/clock/v2"\n)\n\nfunc (l *Lease) Renew(clock c.Clock) int {\n\tl.store.Put(fmt.Sprint(acquire()))\n\treturn l.until(clock.Now())\n}\n',
    says: [
      'package lease',
      'Lease.Renew 8-11',
      'import fmt as fmt',
      'import example.org/clock/v2 as c',
      'Lease.Renew calls this.store.Put of this/store',
      'Lease.Renew calls fmt.Sprint',
      'Lease.Renew calls acquire',
      'Lease.Renew calls this.until',
      'Lease.Renew calls clock.Now of c.Clock',
      'Lease.Renew type Lease',
      'Lease.Renew type c.Clock',
    ],
  },
  Java: {
    text: 'package acme.leases;\nimport acme.core.Clock;\nimport static acme.core.Time.now;\npublic class Lease extends Base {\n  private final Clock clock;\n  public int renew() {\n    return this.clock.tick(now()) + new Key().hash();\n  }\n}\n',
    says: [
      'package acme.leases',
      'Lease 4-9',
      'Lease.clock 5-5',
      'Lease.renew 6-8',
      'import Clock of acme.core as Clock',
      'import now of acme.core.Time as now',
      'Lease.renew calls this.clock.tick of Clock',
      'Lease.renew calls now',
      'Lease.renew new Key',
      'Lease.renew calls ().hash of Key()',
      'Lease inherits Base',
      'Lease.clock type Clock',
      'Lease.renew type Key',
    ],
  },
  JavaScript: {
    text: "import lease, { renew as again } from './lease.js';\nconst fs = require('fs');\nvar acquire = require('./acquire').acquire;\nrequire('./set-up')(fs);\ndefineGetter(Größe, 'until', function until() {\n  return acquire();\n});\nexport { other } from './other.js';\nclass Größe extends Base {\n  limit() {\n    return this.#limit(fs.readFileSync(again));\n  }\n}\nexport default isNode && (async (key) => {\n  await acquire();\n});\n",
    says: [
      'until 5-7',
      'Größe 9-13',
      'Größe.limit 10-12',
      'default 14-16',
      'import ./lease.js',
      'import default of ./lease.js as lease',
      'import renew of ./lease.js as again',
      'import fs as fs',
      'import fs',
      'import ./acquire',
      'import acquire of ./acquire as acquire',
      'import ./set-up',
      'import other of ./other.js as other',
      'calls defineGetter',
      'until calls acquire',
      'Größe.limit calls this.limit',
      'Größe.limit calls fs.readFileSync',
      'default calls acquire',
      'value fs',
      'value Größe',
      'Größe inherits Base',
      'Größe.limit value again',
    ],
  },
  Kotlin: {
    text: 'package acme.leases\nimport acme.core.Clock\nimport acme.core.now as current\nclass Lease(private val clock: Clock) : Base() {\n  fun renew(): Int {\n    val in1 = Key()\n    in1.hash()\n    return this.clock.tick(current())\n  }\n}\n',
    says: [
      'package acme.leases',
      'Lease 4-10',
      'Lease.clock 4-4',
      'Lease.renew 5-9',
      'import Clock of acme.core as Clock',
      'import now of acme.core as current',
      'Lease.renew calls Key',
      'Lease.renew calls in1.hash of Key',
      'Lease.renew calls this.clock.tick of Clock',
      'Lease.renew calls current',
      'Lease.clock type Clock',
      'Lease inherits Base',
      'Lease.renew type Int',
    ],
  },
  PHP: {
    text: "<?php\nnamespace Acme\\Leases;\nuse Acme\\Core\\{Clock, Time as T};\nrequire_once __DIR__ . '/lib.php';\nclass Lease extends Base {\n  public function renew(Clock $clock) {\n    return $this->until($clock->now(), T::zone(), acquire(new Key()));\n  }\n}\n",
    says: [
      'package Acme\\Leases',
      'Acme\\Leases 2-2',
      'Lease 5-9',
      'Lease.renew 6-8',
      'import Clock of Acme\\Core as Clock',
      'import Time of Acme\\Core as T',
      'import * of /lib.php',
      'Lease.renew calls this.until',
      'Lease.renew calls $clock.now of Clock',
      'Lease.renew calls T.zone',
      'Lease.renew calls acquire',
      'Lease.renew new Key',
      'Lease inherits Base',
      'Lease.renew type Clock',
    ],
  },
  Python: {
    text: 'import os.path\nfrom .clock import Clock as C, tick\n\n@decorate\nclass Lease(Base):\n    def renew(self, clock: C):\n        self.until(tick(clock.now()))\n        return os.path.join(acquire())\n',
    says: [
      'Lease 5-8',
      'Lease.renew 6-8',
      'import os.path as os.path',
      'import Clock of .clock as C',
      'import tick of .clock as tick',
      'calls decorate',
      'Lease.renew calls this.until',
      'Lease.renew calls tick',
      'Lease.renew calls clock.now of C',
      'Lease.renew calls os.path.join',
      'Lease.renew calls acquire',
      'Lease inherits Base',
      'Lease.renew type C',
    ],
  },
  Scala: {
    text: 'package acme.leases\nimport acme.core.{Clock, now => current}, acme.lib._\nclass Lease(val clock: Clock) extends Base {\n  def renew(): Int = {\n    val key = new Key(1)\n    this.clock.tick(current()) + key.hash()\n  }\n}\n',
    says: [
      'package acme.leases',
      'Lease 3-8',
      'Lease.clock 3-3',
      'Lease.renew 4-7',
      'import Clock of acme.core as Clock',
      'import now of acme.core as current',
      'import * of acme.lib',
      'Lease.renew new Key',
      'Lease.renew calls this.clock.tick of Clock',
      'Lease.renew calls current',
      'Lease.renew calls key.hash of Key',
      'Lease.clock type Clock',
      'Lease inherits Base',
      'Lease.renew type Int',
      'Lease.renew type Key',
    ],
  },
  Ruby: {
    text: "require_relative 'clock'\nmodule Acme\n  class Lease < Base\n    def renew\n      clock = Clock.new\n      acquire(clock.now)\n    end\n  end\nend\n",
    says: [
      'Acme 2-9',
      'Acme.Lease 3-8',
      'Acme.Lease.renew 4-7',
      'import * of clock',
      'Acme.Lease.renew new Clock',
      'Acme.Lease.renew calls acquire',
      'Acme.Lease.renew calls clock.now of Clock',
      'Acme.Lease inherits Base',
    ],
  },
  Rust: {
    text: 'use crate::clock::{self, Clock as C};\nmod store;\npub struct Lease {\n    clock: C,\n}\nimpl Lease {\n    pub fn renew(&self) -> u64 {\n        store::put(self.clock.now());\n        Self::until(acquire())\n    }\n}\n',
    says: [
      'Lease 3-5',
      'Lease.clock 4-4',
      'Lease.renew 7-10',
      'import crate::clock as clock',
      'import Clock of crate::clock as C',
      'import self::store as store',
      'Lease.renew calls store.put of ',
      'Lease.renew calls this.clock.now of C',
      'Lease.renew calls this.until',
      'Lease.renew calls acquire',
      'Lease.clock type C',
    ],
  },
  TSX: {
    text: "import { Row } from './row.tsx';\nexport const Table = ({ rows }: Props) => {\n  return <Row onClick={Table} rows={format(rows)} />;\n};\n",
    says: [
      'Table 2-4',
      'import ./row.tsx',
      'import Row of ./row.tsx as Row',
      'Table calls format',
      'Table type Props',
      'Table value Row',
      'Table value Table',
    ],
  },
  TypeScript: {
    text: "import type { Clock } from './clock.ts';\nimport * as store from './store.ts';\nexport class Lease extends Base implements Held {\n  constructor(private readonly clock: Clock) {\n    super();\n  }\n  async renew(): Promise<void> {\n    store.put(this.clock.now(), new Key());\n  }\n}\n",
    says: [
      'Lease 3-10',
      'Lease.constructor 4-6',
      'Lease.clock 4-4',
      'Lease.renew 7-9',
      'import ./clock.ts',
      'import Clock of ./clock.ts as Clock',
      'import ./store.ts',
      'import ./store.ts as store',
      'Lease.renew calls store.put',
      'Lease.renew calls this.clock.now of Clock',
      'Lease.renew new Key',
      'Lease inherits Base',
      'Lease inherits Held',
      'Lease.constructor type Clock',
      'Lease.renew type Promise',
    ],
  },
};

/** Overloads, and the function that they are signatures of. */
const overloads: Readonly<Record<string, string>> = {
  Python:
    'class A:\n  @t.overload\n  def f(self, a: int): ...\n  @overload\n  def f(self): ...\n  def f(self, a=0):\n    g()\n',
  TypeScript:
    'class A {\n  f(a: string): void;\n  f(a: number): void;\n\n\n  f(a: unknown): void {\n    g(a);}}\n',
};

const { signal } = new AbortController();
const parsed = new Map<string, ParsedFile>();

beforeAll(async () => {
  const queue = new ParseQueue({ log: silentLog });
  const files = Object.entries(samples).map(([language, { text }]) => ({ path: language, language, text }));
  for (const [language, text] of Object.entries(overloads))
    files.push({ path: `overloads of ${language}`, language, text });
  for (const result of await queue.parseFiles(files, signal)) {
    if (!('failed' in result)) parsed.set(result.path, result);
  }
  await queue.close();
});

describe('a file of', () => {
  it.each(Object.keys(samples))('%s is read with its own grammar', (language) => {
    expect(said(parsed.get(language)!)).toEqual(samples[language]!.says);
  });
});

describe('overloads of', () => {
  it.each(Object.keys(overloads))('%s are not the definition of their function', (language) => {
    const found = parsed.get(`overloads of ${language}`)!.symbols;
    expect(found.map(({ qualifiedName, line }) => [qualifiedName, line])).toEqual([
      ['A', 1],
      ['A.f', 6],
    ]);
  });
});

describe('the languages', () => {
  it('have a sample each', () => {
    expect(Object.keys(samples).toSorted()).toEqual([...languages.keys()].toSorted());
  });

  it.each([
    ['a', [' a as a']],
    ['a::b', ['a b as b']],
    [
      'crate::{a::{b, c as d}, e::*, self}',
      ['crate::a b as b', 'crate::a c as d', 'crate::e * as undefined', 'crate undefined as crate'],
    ],
    ['a::{ /* x */ b, // y\n c }', ['a b as b', 'a c as c']],
    ['use a::{function as f, import  as i};', ['a function as f', 'a import as i']],
    ['{{{', []],
  ])('of Rust read the use %s', (text, names) => {
    expect(
      readImportPaths(text, '::').map(({ source, name, local }) => `${source} ${name} as ${local}`),
    ).toEqual(names);
  });

  it.each([
    ['15 braces', `${'a::{'.repeat(15)}b${'}'.repeat(15)}`, [`${'a::'.repeat(15)}b`]],
    ['100,000 braces', `a, ${'{'.repeat(100_000)}`, ['::a']],
    ['a path of thousands of letters before others', `${'a::'.repeat(1_000)}{b, c}, d`, ['::d']],
  ])('of an import with %s, what a person may write is read', (_, text, paths) => {
    expect(readImportPaths(text, '::').map(({ source, name }) => `${source}::${name}`)).toEqual(paths);
  });

  it.each([
    ['use A\\B;', ['A B as B']],
    ['use function A\\b as c, D;', ['A b as c', ' D as D']],
    ['use A\\{B\\C, function d as e};', ['A\\B C as C', 'A d as e']],
    ['use ($x) {', []],
  ])('of PHP read the use %s', (text, names) => {
    expect(
      readImportPaths(text, '\\').map(({ source, name, local }) => `${source} ${name} as ${local}`),
    ).toEqual(names);
  });
});

function said({ package: declared, symbols, imports, calls, references }: ParsedFile): string[] {
  const uses = [...calls, ...references].map(({ kind, name, receiver, receiverType, from }) => {
    const place = from === undefined ? '' : `${symbols[from]!.qualifiedName} `;
    const verb = kind === 'call' ? 'calls' : kind;
    const whole = receiver === undefined ? name : `${receiver === '' ? '()' : receiver}.${name}`;
    return `${place}${verb} ${whole}${receiverType === undefined ? '' : ` of ${receiverType}`}`;
  });
  return [
    ...(declared === undefined ? [] : [`package ${declared}`]),
    ...symbols.map(({ qualifiedName, line, endLine }) => `${qualifiedName} ${line}-${endLine}`),
    ...imports.map(
      ({ source, name, local }) =>
        `import ${name === undefined ? '' : `${name} of `}${source}${local === undefined ? '' : ` as ${local}`}`,
    ),
    ...uses,
  ];
}
