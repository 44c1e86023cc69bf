import { describe, expect, it } from 'vitest';
import { callsOfRun } from '../../../../../test/support/graph/calls-of-run.ts';
import { type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';
import { measureProcessor } from '../../../../../test/support/run/processor-time.ts';

const { parse } = openResolving();

const json = JSON.stringify;
const runTs = 'export function run() {}\n';
const callFrom = (module: string): string => `import { run } from '${module}';\nrun();\n`;

const python = 'def run():\n    pass\n';
const rust = 'pub fn run() {}\n';
const java = 'package com.acme;\n\npublic class Jobs {\n  public static void run() {}\n}\n';

describe('a call is possible to each of several modules with one name', () => {
  it.each<readonly [title: string, targets: readonly string[], files: Files]>([
    [
      'packages of npm, also if only one has an entry',
      ['a/src/errors.ts', 'b/src/errors.ts'],
      {
        'web/a.ts': callFrom('acme/errors'),
        'a/src/errors.ts': runTs,
        'b/src/errors.ts': runTs,
        'a/package.json': json({ name: 'acme' }),
        'b/package.json': json({ name: 'acme', exports: { './errors': './src/errors.ts' } }),
      },
    ],
    [
      'modules of Go',
      ['a/core.go', 'b/core.go'],
      {
        'web/a.go': 'package main\n\nimport "example.com/core"\n\nfunc main() {\n\tcore.Run()\n}\n',
        'a/core.go': 'package core\n\nfunc Run() {}\n',
        'b/core.go': 'package core\n\nfunc Run() {}\n',
        'a/go.mod': 'module example.com/core\n',
        'b/go.mod': 'module example.com/core\n',
      },
    ],
    [
      'crates of Rust',
      ['a/src/lib.rs', 'b/src/lib.rs'],
      {
        'web/src/main.rs': 'use core_impl::run;\nfn main() {\n    run();\n}\n',
        'a/src/lib.rs': rust,
        'b/src/lib.rs': rust,
        'a/Cargo.toml': '[package]\nname = "core-impl"\n',
        'b/Cargo.toml': '[package]\nname = "core-impl"\n',
      },
    ],
    [
      'classes of Java',
      ['a/src/com/acme/Jobs.java', 'b/src/com/acme/Jobs.java'],
      {
        'web/src/A.java': 'import com.acme.Jobs;\n\nclass A {\n  void f() {\n    Jobs.run();\n  }\n}\n',
        'a/src/com/acme/Jobs.java': java,
        'b/src/com/acme/Jobs.java': java,
      },
    ],
    [
      'packages of Python',
      ['a/src/acme/jobs.py', 'b/src/acme/jobs.py'],
      {
        'web/a.py': 'from acme.jobs import run\n\nrun()\n',
        'a/src/acme/jobs.py': python,
        'b/src/acme/jobs.py': python,
      },
    ],
  ])('%s', async (_, targets, files) => {
    expect(await callsOfRun(parse, files)).toEqual(targets.map((target) => `possible ${target}`));
  });
});

describe('a call leads to the nearest module', () => {
  it.each<readonly [title: string, target: string, files: Files]>([
    [
      'of two crates with one name, that of the path of the dependency',
      'b/src/lib.rs',
      {
        'web/src/main.rs': 'use core_impl::run;\nfn main() {\n    run();\n}\n',
        'a/src/lib.rs': rust,
        'b/src/lib.rs': rust,
        'a/Cargo.toml': '[package]\nname = "core-impl"\n',
        'b/Cargo.toml': '[package]\nname = "core-impl"\n',
        'web/Cargo.toml': '[dependencies]\ncore-impl = { path = "../b" }\n',
      },
    ],
    [
      'of two classes of Java, that of the same project',
      'b/core/src/com/acme/Jobs.java',
      {
        'b/web/src/A.java': 'import com.acme.Jobs;\n\nclass A {\n  void f() {\n    Jobs.run();\n  }\n}\n',
        'a/core/src/com/acme/Jobs.java': java,
        'b/core/src/com/acme/Jobs.java': java,
      },
    ],
    [
      'of two modules of Python, that of the same project',
      'b/src/jobs.py',
      {
        'b/tests/a.py': 'from jobs import run\n\nrun()\n',
        'a/src/jobs.py': python,
        'b/src/jobs.py': python,
      },
    ],
    [
      'of two configurations of the compiler, that of the inner folder',
      'web/src/run.ts',
      {
        'web/src/a.ts': callFrom('@/run'),
        'web/src/run.ts': runTs,
        'src/run.ts': runTs,
        'web/tsconfig.json': json({ compilerOptions: { paths: { '@/*': ['src/*'] } } }),
        'tsconfig.json': json({ compilerOptions: { paths: { '@/*': ['src/*'] } } }),
      },
    ],
  ])('%s', async (_, target, files) => {
    expect(await callsOfRun(parse, files)).toEqual([`certain ${target}`]);
  });

  it('and to none by the paths of an outer or another configuration of the compiler', async () => {
    const outer = {
      'web/src/a.ts': callFrom('@/run'),
      'src/run.ts': runTs,
      'tsconfig.json': json({ compilerOptions: { paths: { '@/*': ['src/*'] } } }),
    };
    expect(await callsOfRun(parse, outer)).toEqual(['certain src/run.ts']);
    expect(await callsOfRun(parse, { ...outer, 'web/tsconfig.json': '{}' })).toEqual([]);
    const { 'tsconfig.json': config, ...others } = outer;
    expect(await callsOfRun(parse, { ...others, 'src/tsconfig.json': config })).toEqual([]);
  });
});

describe('hostile manifests', () => {
  it('of 10 MB say nothing', async () => {
    const config = json({ compilerOptions: { paths: { '@/*': ['src/*'] } } });
    const files = { 'a.ts': callFrom('@/run'), 'src/run.ts': runTs };
    const processorMs = measureProcessor();
    expect(await callsOfRun(parse, { ...files, 'tsconfig.json': config + ' '.repeat(10_000_000) })).toEqual(
      [],
    );
    expect(await callsOfRun(parse, { ...files, 'tsconfig.json': config })).toEqual(['certain src/run.ts']);
    expect(processorMs()).toBeLessThan(5_000);
  });

  it('that extend each other in a circle are each asked once', async () => {
    const configs = Array.from({ length: 300 }, (_, index) => [
      index === 0 ? 'tsconfig.json' : `tsconfig.${index}.json`,
      json({
        extends: Array.from({ length: 10 }, (_each, other) => `./tsconfig.${(index + other) % 300}.json`),
      }),
    ]);
    const processorMs = measureProcessor();
    const files = { 'a.ts': callFrom('b/run'), 'b/run.ts': runTs, ...Object.fromEntries(configs) };
    expect(await callsOfRun(parse, files)).toEqual([]);
    const ending = { ...files, 'tsconfig.9.json': json({ compilerOptions: { baseUrl: '.' } }) };
    expect(await callsOfRun(parse, ending)).toEqual(['certain b/run.ts']);
    expect(processorMs()).toBeLessThan(5_000);
  });

  it('with patterns that are none, or with several stars, name nothing', async () => {
    const paths = {
      '@/**': ['src/*'],
      '*@*': ['src/*'],
      '@/run': ['src/**', 'none'],
      '': ['src/run.ts'],
      '@/*': 7,
    };
    const files = { 'a.ts': callFrom('@/run'), 'src/run.ts': runTs };
    const withPaths = (more: object): Files => ({
      ...files,
      'tsconfig.json': json({ compilerOptions: { paths: { ...paths, ...more } } }),
    });
    expect(await callsOfRun(parse, withPaths({}))).toEqual([]);
    expect(await callsOfRun(parse, withPaths({ '@*': ['src*', 'gone'] }))).toEqual(['certain src/run.ts']);
  });

  it('with paths out of the repository name nothing', async () => {
    const paths = { '@/*': ['../../../../*', '/src/*', '../src/*'] };
    const files = { 'a.ts': callFrom('@/run'), 'src/run.ts': runTs };
    expect(
      await callsOfRun(parse, { ...files, 'tsconfig.json': json({ compilerOptions: { paths } }) }),
    ).toEqual([]);
  });

  it('with 10,000 paths, or with many places for one, leave imports quick', async () => {
    const imports = Array.from({ length: 500 }, (_, index) => `import '@/${index}';\n`);
    const config = (names: number, places: number): Files => {
      const targets = Array.from({ length: places }, (_, index) => `${index}/*`);
      const named = Array.from({ length: names }, (_, index) => [
        names === 1 ? '@/*' : `@/${'1'.repeat(index % 200)}*${index}`,
        targets,
      ]);
      const tsconfig = json({ compilerOptions: { paths: Object.fromEntries(named) } });
      return { 'a.ts': imports.join(''), 'tsconfig.json': tsconfig };
    };
    const processorMs = measureProcessor();
    for (const files of [config(10_000, 1), config(1, 50_000)])
      expect(await callsOfRun(parse, files)).toEqual([]);
    expect(processorMs()).toBeLessThan(10_000);
  });

  it('of 2,000 packages with one name and entries leave imports quick', async () => {
    const manifest = json({
      name: 'acme',
      exports: Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`./${index}`, `./dist/${index}.js`]),
      ),
    });
    const packages = Array.from({ length: 2_000 }, (_, index) => [
      `packages/${index}/package.json`,
      manifest,
    ]);
    const imports = Array.from({ length: 500 }, (_, index) => `import 'acme/${index}';\n`);
    const processorMs = measureProcessor();
    expect(await callsOfRun(parse, { 'a.ts': imports.join(''), ...Object.fromEntries(packages) })).toEqual(
      [],
    );
    expect(processorMs()).toBeLessThan(10_000);
  });
});
