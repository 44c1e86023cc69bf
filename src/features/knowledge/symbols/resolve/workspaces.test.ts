import { describe, expect, it } from 'vitest';
import { callsOfRun } from '../../../../../test/support/graph/calls-of-run.ts';
import { type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';

const { parse } = openResolving();

const json = JSON.stringify;
const runTs = 'export function run() {}\n';
const callFrom = (module: string): string => `import { run } from '${module}';\nrun();\n`;

describe('a call is certain across the modules of a repository', () => {
  it.each<readonly [title: string, target: string, files: Files]>([
    [
      'by a path of tsconfig.json with comments and trailing commas',
      'web/src/shared/run.ts',
      {
        'web/src/a.ts': callFrom('@/shared/run'),
        'web/src/shared/run.ts': runTs,
        'web/tsconfig.json':
          '{ // "paths": {"@/*": ["no/*"]}\n  "compilerOptions": {\n    "baseUrl": ".", /* , */\n    "paths": { "@/*": ["gone/*", "src/*",], },\n  },\n}\n',
      },
    ],
    [
      'by a path of tsconfig.json that is one file',
      'libs/core/index.ts',
      {
        'apps/a.ts': callFrom('@acme/core'),
        'libs/core/index.ts': runTs,
        'tsconfig.json': json({ compilerOptions: { paths: { '@acme/core': ['./libs/core/index.ts'] } } }),
      },
    ],
    [
      'by baseUrl of jsconfig.json',
      'src/shared/run.js',
      {
        'src/a.js': callFrom('shared/run'),
        'src/shared/run.js': 'export function run() {}\n',
        'jsconfig.json': json({ compilerOptions: { baseUrl: 'src' } }),
      },
    ],
    [
      'by the paths of a configuration that tsconfig.json extends',
      'libs/core/src/index.ts',
      {
        'apps/web/src/a.ts': callFrom('@acme/core'),
        'libs/core/src/index.ts': runTs,
        'apps/web/tsconfig.json': json({ extends: ['./none.json', '../../tsconfig.base'] }),
        'tsconfig.base.json': json({
          compilerOptions: { paths: { '@acme/core': ['libs/core/src/index.ts'] } },
        }),
      },
    ],
    [
      'by the paths of a configuration of a package in the repository that tsconfig.json extends',
      'config/shared/run.ts',
      {
        'apps/web/a.ts': callFrom('shared/run'),
        'config/shared/run.ts': runTs,
        'apps/web/tsconfig.json': json({ extends: '@acme/config/tsconfig.base.json' }),
        'config/tsconfig.base.json': json({ compilerOptions: { baseUrl: '.' } }),
        'config/package.json': json({ name: '@acme/config' }),
      },
    ],
    [
      'by the paths of a configuration of the same folder that tsconfig.json references',
      'src/run.ts',
      {
        'src/a.ts': callFrom('~run'),
        'src/run.ts': runTs,
        'tsconfig.json': json({ files: [], references: [{ path: './tsconfig.app.json' }] }),
        'tsconfig.app.json': json({ compilerOptions: { paths: { '~*': ['./src/*'] } } }),
      },
    ],
    [
      'into the output of a referenced project',
      'core/source/run.ts',
      {
        'web/a.ts': callFrom('../built/core/run.js'),
        'core/source/run.ts': runTs,
        'web/tsconfig.json': json({ references: [{ path: '../core' }] }),
        'core/tsconfig.json': json({ compilerOptions: { outDir: '../built/core', rootDir: 'source' } }),
      },
    ],
    [
      'by imports of package.json',
      'core/src/internal/run.ts',
      {
        'core/src/a.ts': callFrom('#internal/run.js'),
        'core/src/internal/run.ts': runTs,
        'core/src/tsconfig.json': '{}',
        'core/package.json': json({
          name: 'core',
          imports: { '#internal/*': { default: './dist/internal/*' } },
        }),
      },
    ],
    [
      'by the name of a package',
      'packages/client/src/index.ts',
      {
        'packages/web/a.ts': callFrom('@acme/client'),
        'packages/client/src/index.ts': runTs,
        'packages/client/package.json': json({ name: '@acme/client', main: './dist/index.js' }),
      },
    ],
    [
      'by an entry of a package that has another name than its file',
      'packages/core/src/errors/all.ts',
      {
        'packages/web/a.ts': callFrom('@acme/core/errors'),
        'packages/core/src/errors/all.ts': runTs,
        'packages/core/package.json': json({
          name: '@acme/core',
          exports: { './errors': { types: './dist/errors/all.d.ts', default: './dist/errors/all.js' } },
        }),
      },
    ],
    [
      'by a pattern of entries of a package',
      'packages/core/src/plugins/run.ts',
      {
        'packages/web/a.ts': callFrom('@acme/core/p/run'),
        'packages/core/src/plugins/run.ts': runTs,
        'packages/core/package.json': json({
          name: '@acme/core',
          exports: { './p/*': './dist/plugins/*.mjs' },
        }),
      },
    ],
    [
      'through packages in a circle',
      'packages/b/src/run.ts',
      {
        'packages/web/a.ts': callFrom('a'),
        'packages/a/src/index.ts': "export * from 'b';\n",
        'packages/b/src/index.ts': "export * from 'a';\nexport * from './run.js';\n",
        'packages/b/src/run.ts': runTs,
        'packages/a/package.json': json({ name: 'a', dependencies: { b: 'workspace:*' } }),
        'packages/b/package.json': json({ name: 'b', dependencies: { a: 'workspace:*' } }),
      },
    ],
    [
      'of JavaScript that is required',
      'run.js',
      { 'a.js': "const { run: go, run } = require('./run');\nrun();\n", 'run.js': runTs },
    ],
    [
      'of a module that is awaited and taken apart',
      'run.ts',
      {
        'a.ts': "async function f() {\n  const { run } = await import('./run.ts');\n  run();\n}\n",
        'run.ts': runTs,
      },
    ],
    [
      'of a module that is awaited',
      'run.ts',
      { 'a.ts': "const mod = await import('./run.ts');\nmod.run();\n", 'run.ts': runTs },
    ],
    [
      'of a module that a promise has',
      'run.ts',
      { 'a.ts': "import('./run.ts').then((mod) => mod.run());\n", 'run.ts': runTs },
    ],
    [
      'of a module that a promise has and that is taken apart',
      'run.js',
      { 'a.js': "import('./run.js').then(({ run }) => run());\n", 'run.js': runTs },
    ],
    [
      'of Rust by the name of a crate, with another folder and a re-export',
      'crates/core-impl/src/jobs/mod.rs',
      {
        'crates/web/src/main.rs': 'use acme_core::run;\nfn main() {\n    run();\n}\n',
        'crates/core-impl/src/lib.rs': 'mod jobs;\npub use jobs::run;\n',
        'crates/core-impl/src/jobs/mod.rs': 'pub fn run() {}\n',
        'crates/core-impl/Cargo.toml': '[package]\nname = "acme-core"\n',
        'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      },
    ],
    [
      'of Rust by the new name of a dependency',
      'crates/bar/src/lib.rs',
      {
        'crates/web/src/main.rs': 'use foo::run;\nfn main() {\n    run();\n}\n',
        'crates/bar/src/lib.rs': 'pub fn run() {}\n',
        'crates/bar/Cargo.toml': '[package]\nname = "bar"\n',
        'crates/web/Cargo.toml':
          '[package]\nname = "web"\n[dependencies]\nfoo = { path = "../bar", package = "bar" }\n',
      },
    ],
    [
      'of Rust by the new name of a dependency of the workspace',
      'crates/bar/src/lib.rs',
      {
        'crates/web/src/main.rs': 'use foo::run;\nfn main() {\n    run();\n}\n',
        'crates/bar/src/lib.rs': 'pub fn run() {}\n',
        'crates/web/Cargo.toml': '[package]\nname = "web"\n[dependencies]\nfoo.workspace = true\n',
        'Cargo.toml': '[workspace.dependencies]\nfoo = { path = "crates/bar", package = "bar" }\n',
      },
    ],
    [
      'of Rust to a library with a path and a name of its own',
      'bar/all.rs',
      {
        'web/src/main.rs': 'use bar_lib::run;\nfn main() {\n    run();\n}\n',
        'bar/all.rs': 'pub fn run() {}\n',
        'bar/Cargo.toml': '[package]\nname = "bar"\n[lib]\nname = "bar_lib"\npath = "all.rs"\n',
      },
    ],
    [
      'of Go between several modules',
      'core/jobs/jobs.go',
      {
        'web/a.go': 'package main\n\nimport "example.com/core/v2/jobs"\n\nfunc main() {\n\tjobs.Run()\n}\n',
        'core/jobs/jobs.go': 'package jobs\n\nfunc Run() {}\n',
        'core/go.mod': 'module example.com/core/v2\n',
        'web/go.mod': 'module example.com/web\n',
        'go.work': 'go 1.24\n\nuse (\n\t./core\n\t./web\n)\n',
      },
    ],
    [
      'of Go by a module that another one replaces',
      'forks/core/core.go',
      {
        'web/a.go': 'package main\n\nimport "example.com/core"\n\nfunc main() {\n\tcore.Run()\n}\n',
        'forks/core/core.go': 'package core\n\nfunc Run() {}\n',
        'forks/core/go.mod': 'module example.com/fork\n',
        'web/go.mod': 'module example.com/web\n\nreplace example.com/core v1.2.0 => ../forks/core\n',
      },
    ],
    [
      'of Go by a module that the workspace replaces',
      'forks/core/core.go',
      {
        'web/a.go': 'package main\n\nimport "example.com/core"\n\nfunc main() {\n\tcore.Run()\n}\n',
        'forks/core/core.go': 'package core\n\nfunc Run() {}\n',
        'web/go.mod': 'module example.com/web\n',
        'go.work': 'use ./web\n\nreplace (\n\texample.com/core => ./forks/core\n)\n',
      },
    ],
    [
      'of Java to a class of another module',
      'core/src/main/java/com/acme/Jobs.java',
      {
        'web/src/main/java/com/web/A.java':
          'package com.web;\n\nimport com.acme.Jobs;\n\nclass A {\n  void f() {\n    Jobs.run();\n  }\n}\n',
        'core/src/main/java/com/acme/Jobs.java':
          'package com.acme;\n\npublic class Jobs {\n  public static void run() {}\n}\n',
        'settings.gradle': "include ':core', ':web'\n",
      },
    ],
    [
      'of Kotlin to a function of another module',
      'core/src/main/kotlin/jobs.kt',
      {
        'web/src/A.kt': 'package com.web\n\nimport com.acme.run\n\nfun f() {\n    run()\n}\n',
        'core/src/main/kotlin/jobs.kt': 'package com.acme\n\nfun run() {}\n',
      },
    ],
    [
      'of Java to a function of Kotlin',
      'src/main/kotlin/com/acme/Jobs.kt',
      {
        'src/main/java/com/acme/web/A.java':
          'package com.acme.web;\n\nimport com.acme.JobsKt;\n\nclass A {\n  void f() {\n    JobsKt.run();\n  }\n}\n',
        'src/main/kotlin/com/acme/Jobs.kt': 'package com.acme\n\nfun run() {}\n',
      },
    ],
    [
      'of C# to a namespace of another project',
      'src/Core/Jobs.cs',
      {
        'src/Web/A.cs':
          'using Acme.Core;\n\nnamespace Acme.Web;\n\nclass A {\n  void F() {\n    Jobs.Run();\n  }\n}\n',
        'src/Core/Jobs.cs':
          'namespace Acme.Core;\n\npublic static class Jobs {\n  public static void Run() { }\n}\n',
      },
    ],
    [
      'of C# by a static import of a type',
      'src/Core/Jobs.cs',
      {
        'src/Web/A.cs':
          'using static Acme.Core.Jobs;\n\nnamespace Acme.Web;\n\nclass A {\n  void F() {\n    Run();\n  }\n}\n',
        'src/Core/Jobs.cs':
          'namespace Acme.Core;\n\npublic static class Jobs {\n  public static void Run() { }\n}\n',
      },
    ],
    [
      'of C# by a global import of the project',
      'src/Core/Jobs.cs',
      {
        'src/Web/Pages/A.cs': 'namespace Acme.Web;\n\nclass A {\n  void F() {\n    Jobs.Run();\n  }\n}\n',
        'src/Web/GlobalUsings.cs': 'global using Acme.Core;\n',
        'src/Core/Jobs.cs':
          'namespace Acme.Core;\n\npublic static class Jobs {\n  public static void Run() { }\n}\n',
      },
    ],
    [
      'of C# by a global static import of the project',
      'src/Core/Jobs.cs',
      {
        'src/Web/Pages/A.cs': 'namespace Acme.Web;\n\nclass A {\n  void F() {\n    Run();\n  }\n}\n',
        'src/Web/Usings.cs': 'global using static Acme.Core.Jobs;\n',
        'src/Core/Jobs.cs':
          'namespace Acme.Core;\n\npublic static class Jobs {\n  public static void Run() { }\n}\n',
      },
    ],
    [
      'of C# by a global import of the project file',
      'src/Core/Jobs.cs',
      {
        'src/Web/Pages/A.cs': 'namespace Acme.Web;\n\nclass A {\n  void F() {\n    Jobs.Run();\n  }\n}\n',
        'src/Web/Web.csproj': '<Project><ItemGroup><Using Include="Acme.Core" /></ItemGroup></Project>',
        'src/Core/Jobs.cs':
          'namespace Acme.Core;\n\npublic static class Jobs {\n  public static void Run() { }\n}\n',
      },
    ],
    [
      'of Python in a source folder, by the whole module',
      'core/src/acme/jobs.py',
      {
        'web/a.py': 'import acme.jobs\n\nacme.jobs.run()\n',
        'core/src/acme/jobs.py': 'def run():\n    pass\n',
        'core/src/acme/__init__.py': '',
      },
    ],
    [
      'of Python in a namespace package of another project',
      'core/acme/jobs/all.py',
      {
        'web/a.py': 'from acme.jobs.all import run\n\nrun()\n',
        'core/acme/jobs/all.py': 'def run():\n    pass\n',
        'core/pyproject.toml': '[project]\nname = "acme-core"\n',
      },
    ],
    [
      'of Python in the folder that setup.cfg names',
      'core/code/acme/jobs.py',
      {
        'web/a.py': 'from acme import jobs\n\njobs.run()\n',
        'core/code/acme/jobs.py': 'def run():\n    pass\n',
        'core/code/acme/__init__.py': '',
        'core/setup.cfg': '[metadata]\nname = core\n[options]\npackage_dir =\n    = code\n',
      },
    ],
    [
      'of Python in the folder that pyproject.toml names for a package',
      'core/impl/jobs.py',
      {
        'web/a.py': 'import acme.jobs\n\nacme.jobs.run()\n',
        'core/impl/jobs.py': 'def run():\n    pass\n',
        'core/impl/__init__.py': '',
        'core/pyproject.toml':
          '[project]\nname = "core"\n[tool.setuptools]\npackage-dir = { acme = "impl" }\n',
      },
    ],
    [
      'of Python in the folder that setup.py names',
      'core/code/acme/jobs.py',
      {
        'web/a.py': 'from acme.jobs import run\n\nrun()\n',
        'core/code/acme/jobs.py': 'def run():\n    pass\n',
        'core/setup.py': "from setuptools import setup\nsetup(name='core', package_dir={'': 'code'})\n",
      },
    ],
    [
      'of Python to a module beside it',
      'acme/jobs.py',
      {
        'acme/a.py': 'from . import jobs\n\njobs.run()\n',
        'acme/jobs.py': 'def run():\n    pass\n',
        'acme/__init__.py': '',
      },
    ],
  ])('%s', async (_, target, files) => {
    expect(await callsOfRun(parse, files)).toEqual([`certain ${target}`]);
  });
});
