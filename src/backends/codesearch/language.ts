import { languageOfScript } from './script-language.ts';

/**
 * Detects the language of a file from its name, with the language names of GitHub Linguist. Where Linguist would read
 * the content to decide (`.h`, `.m`, `.pl`), the most common language wins, so that a search filter stays
 * predictable. Only a file whose name says nothing takes it from the interpreter in its first line.
 */

/** Language -> extensions without the dot, in lower case. Each extension belongs to one language. */
const extensions: Readonly<Record<string, string>> = {
  Ada: 'adb ads',
  Apex: 'cls trigger',
  AsciiDoc: 'adoc asciidoc',
  Assembly: 'asm s nasm',
  Astro: 'astro',
  Awk: 'awk gawk',
  Batchfile: 'bat cmd',
  BibTeX: 'bib',
  Bicep: 'bicep',
  C: 'c h idc',
  'C#': 'cs csx cake',
  'C++': 'cc cpp cxx c++ hh hpp hxx h++ inl ipp tcc',
  CMake: 'cmake',
  COBOL: 'cob cbl cobol',
  CSS: 'css',
  CSV: 'csv',
  "Cap'n Proto": 'capnp',
  Clojure: 'clj cljs cljc edn',
  CoffeeScript: 'coffee',
  'Common Lisp': 'lisp lsp asd',
  Crystal: 'cr',
  Cuda: 'cu cuh',
  Cython: 'pyx pxd pxi',
  D: 'd di',
  Dart: 'dart',
  Diff: 'diff patch',
  Dockerfile: 'dockerfile containerfile',
  EJS: 'ejs',
  Elixir: 'ex exs',
  Elm: 'elm',
  'Emacs Lisp': 'el',
  Erlang: 'erl hrl',
  'F#': 'fs fsi fsx',
  Fortran: 'f f77 f90 f95 f03 f08',
  GLSL: 'glsl vert frag geom comp',
  GraphQL: 'graphql gql graphqls',
  Gleam: 'gleam',
  Go: 'go',
  'Go Template': 'gotmpl tmpl tpl',
  Gradle: 'gradle',
  Groovy: 'groovy gvy',
  HCL: 'hcl tf tfvars nomad',
  HLSL: 'hlsl fx',
  HTML: 'html htm xhtml',
  'HTML+ERB': 'erb rhtml',
  Hack: 'hack hhi',
  Haml: 'haml',
  Handlebars: 'hbs handlebars mustache',
  Haskell: 'hs hsc',
  Haxe: 'hx',
  INI: 'ini cfg properties editorconfig',
  JSON: 'json jsonl ndjson geojson webmanifest',
  'JSON with Comments': 'jsonc code-workspace',
  JSON5: 'json5',
  Java: 'java',
  JavaScript: 'js mjs cjs jsx es6',
  Jinja: 'j2 jinja jinja2',
  Jsonnet: 'jsonnet libsonnet',
  Julia: 'jl',
  'Jupyter Notebook': 'ipynb',
  Kotlin: 'kt kts',
  LLVM: 'll',
  Lean: 'lean',
  Less: 'less',
  Liquid: 'liquid',
  Lua: 'lua luau rockspec',
  MATLAB: 'matlab',
  MDX: 'mdx',
  Makefile: 'mk mak make',
  Markdown: 'md markdown mkd mdown',
  Mermaid: 'mmd mermaid',
  Meson: 'meson',
  Mojo: 'mojo',
  Nim: 'nim nims nimble',
  Nix: 'nix',
  Nushell: 'nu',
  OCaml: 'ml mli mll mly',
  'Objective-C': 'm',
  'Objective-C++': 'mm',
  Odin: 'odin',
  Org: 'org',
  PHP: 'php phtml php5 php7 php8',
  PLpgSQL: 'pgsql plpgsql',
  Pascal: 'pas pp dpr',
  Perl: 'pl pm t',
  PowerShell: 'ps1 psm1 psd1',
  Prisma: 'prisma',
  Prolog: 'pro prolog',
  'Protocol Buffer': 'proto',
  Pug: 'pug jade',
  Puppet: 'puppet',
  PureScript: 'purs',
  Python: 'py pyi pyw bzl',
  QML: 'qml',
  R: 'r rmd',
  Racket: 'rkt',
  Raku: 'raku rakumod p6',
  ReScript: 'res resi',
  Reason: 're rei',
  Rego: 'rego',
  Ruby: 'rb rake gemspec ru podspec',
  Rust: 'rs',
  SCSS: 'scss',
  SQL: 'sql ddl',
  SVG: 'svg',
  Sass: 'sass',
  Scala: 'scala sc sbt',
  Scheme: 'scm ss sld',
  Shell: 'sh bash zsh ksh fish bats',
  Slim: 'slim',
  Smarty: 'smarty',
  Solidity: 'sol',
  Starlark: 'star',
  Stylus: 'styl',
  Svelte: 'svelte',
  Swift: 'swift',
  SystemVerilog: 'sv svh',
  TOML: 'toml',
  TSV: 'tsv',
  Tcl: 'tcl tk',
  TeX: 'tex sty ltx',
  Text: 'txt text log',
  Thrift: 'thrift',
  TSX: 'tsx',
  Twig: 'twig',
  TypeScript: 'ts mts cts',
  TypeSpec: 'tsp',
  VHDL: 'vhd vhdl',
  Vala: 'vala vapi',
  Verilog: 'v vh',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vb',
  Vue: 'vue',
  WGSL: 'wgsl',
  WebAssembly: 'wat wast',
  'Windows Registry Entries': 'reg',
  XML: 'xml xsd xsl xslt wsdl csproj fsproj vbproj props targets plist storyboard xib resx pom',
  YAML: 'yaml yml',
  YARA: 'yar yara',
  Zig: 'zig zon',
  reStructuredText: 'rst',
};

/** Language -> complete file names, in lower case. They take precedence over the extension. */
const fileNames: Readonly<Record<string, string>> = {
  CMake: 'cmakelists.txt',
  CODEOWNERS: 'codeowners',
  Dockerfile: 'dockerfile containerfile',
  Dotenv: '.env .env.example .env.local .env.sample',
  Earthly: 'earthfile',
  'Git Attributes': '.gitattributes',
  'Git Config': '.gitconfig .gitmodules',
  'Go Checksums': 'go.sum go.work.sum',
  'Go Module': 'go.mod',
  'Go Workspace': 'go.work',
  Groovy: 'jenkinsfile',
  HCL: '.terraform.lock.hcl',
  'Ignore List': '.gitignore .dockerignore .npmignore .eslintignore .prettierignore',
  INI: '.editorconfig .npmrc .flake8 .pylintrc',
  JSON: 'composer.lock .babelrc .prettierrc deno.lock flake.lock pipfile.lock',
  'JSON with Comments': 'tsconfig.json jsconfig.json .eslintrc.json .swcrc devcontainer.json',
  Just: 'justfile .justfile',
  Makefile: 'makefile gnumakefile bsdmakefile makefile.am makefile.in',
  Meson: 'meson.build meson_options.txt',
  'Pip Requirements': 'requirements.txt requirements-dev.txt constraints.txt dev-requirements.txt',
  Procfile: 'procfile',
  Ruby: 'gemfile rakefile podfile vagrantfile brewfile fastfile guardfile',
  Shell: '.bashrc .bash_profile .profile .zshrc .zshenv .envrc pkgbuild',
  Starlark: 'build build.bazel workspace workspace.bazel module.bazel tiltfile buck',
  TOML: 'cargo.lock poetry.lock uv.lock pipfile pdm.lock',
  'Vim Script': '.vimrc vimrc',
  YAML: '.clang-format .clang-tidy pnpm-lock.yaml glide.lock',
};

const byExtension = invert(extensions);
const byFileName = invert(fileNames);

/** Every name that `languageOf` can return, for `lang:` suggestions. */
export const languageNames: readonly string[] = [
  ...new Set([...Object.keys(extensions), ...Object.keys(fileNames)]),
].toSorted((a, b) => a.localeCompare(b, 'en'));

/** The rules of `languageOf` in order of precedence, for engines that express them in their own query language. */
export const languageFiles: {
  /** Complete file names in lower case, with their languages. */
  readonly names: ReadonlyMap<string, string>;
  /** File names that may be followed by a dot or hyphen and a suffix. */
  readonly variants: readonly string[];
  /** Extensions after the last dot in lower case, with their languages. */
  readonly extensions: ReadonlyMap<string, string>;
} = {
  names: byFileName,
  variants: ['dockerfile', 'containerfile', 'makefile', 'jenkinsfile'],
  extensions: byExtension,
};

/**
 * Returns the language of the file at `path`: by its name, else by the first line of its text in UTF-8, if that is
 * given, else `Text`.
 */
export function languageOf(path: string, text?: Uint8Array | string): string {
  return languageOfName(path) ?? (text === undefined ? undefined : languageOfScript(text)) ?? 'Text';
}

/** Returns the language of the file at `path` by its name; `undefined` if the name matches no rule. */
export function languageOfName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byFileName.get(name) ?? byVariant(name) ?? byExtension.get(extensionOf(name));
}

/** Returns the language of a name such as `Dockerfile.dev` or `Makefile.win`: a known file name with a suffix. */
function byVariant(name: string): string | undefined {
  const variant = languageFiles.variants.find(
    (each) => name.startsWith(`${each}.`) || name.startsWith(`${each}-`),
  );
  return variant === undefined ? undefined : byFileName.get(variant);
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

function invert(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([language, words]) => words.split(' ').map((word) => [word, language])),
  );
}
