import { cLexical } from './c/c.ts';
import type { LanguageNames } from './language.ts';
import {
  block,
  character,
  cLike,
  dashes,
  doubledQuotes,
  escaped,
  hash,
  hashed,
  haskell,
  type LexicalRule,
  line,
  lisp,
  longDouble,
  longQuotes,
  looseHash,
  markup,
  matched,
  ml,
  nestedSlashes,
  percent,
  quoted,
  quotes,
  raw,
  semicolon,
  slashes,
  slashLine,
  stylesheet,
  template,
  tripleQuotes,
  variableName,
} from './lexical/lexical-rule.ts';
import { pythonLexical } from './python/python.ts';
import { rubyLexical } from './scripts/ruby.ts';

const ada = [...dashes, quoted('"', { escape: '' }), matched('string', "'", /'.'/y)];
const yaml = [
  ...looseHash,
  raw(/(?<![^\s,[{(:])'/y, "'", { first: "'", doubled: true }),
  quoted('"', { open: /(?<![^\s,[{(:])"/y, first: '"', oneLine: true }),
];

/** The properties that a mark before a word means. */
const marks: Readonly<Record<string, 'aliases' | 'fileNames' | 'interpreters'>> = {
  '~': 'aliases',
  '=': 'fileNames',
  '!': 'interpreters',
};

/**
 * Returns languages that share their comments and literals. Each is written as its name and the endings of its files,
 * with `=` before the name of a file, `!` before an interpreter and `~` before another name of the language.
 */
function sharing(
  lexical: readonly LexicalRule[] | undefined,
  ...written: readonly string[]
): readonly LanguageNames[] {
  return written.map((each) => {
    const [name = '', words = ''] = each.split(': ');
    const byProperty = Map.groupBy(words.split(' '), (word) => marks[word[0]!] ?? 'endings');
    const names = [...byProperty].map(([key, of]) => [key, of.join(' ').replaceAll(/(?<=^| )[~=!]/g, '')]);
    return { name, ...(lexical && { lexical }), ...(Object.fromEntries(names) as Partial<LanguageNames>) };
  });
}

/** The languages without definitions: only their names, comments and strings are known. */
export const otherLanguages: readonly LanguageNames[] = [
  ...sharing(
    undefined,
    'CSV: csv',
    'Diff: diff patch',
    'Go Checksums: =go.sum =go.work.sum',
    'reStructuredText: rst',
    'Text: txt text log',
    'TSV: tsv',
  ),
  ...sharing(ada, 'Ada: adb ads', 'VHDL: vhd vhdl'),
  ...sharing(cLike, 'Apex: cls trigger', 'HLSL: hlsl fx', 'JSON5: json5', 'QML: qml', 'Solidity: sol'),
  ...sharing(slashes, 'GLSL: glsl vert frag geom comp'),
  ...sharing([slashLine], 'Go Module: =go.mod', 'Go Workspace: =go.work'),
  ...sharing([slashLine, quoted('"')], 'Prisma: prisma'),
  ...sharing([slashLine, ...longDouble], 'Gleam: gleam'),
  ...sharing([...slashes, quoted('"')], 'SystemVerilog: sv svh', 'Verilog: v vh', 'YARA: yar yara'),
  ...sharing(
    [...slashes, quoted('"')],
    'JSON with Comments: jsonc code-workspace =tsconfig.json =jsconfig.json =.eslintrc.json =.swcrc =devcontainer.json',
  ),
  ...sharing([...slashes, raw('"""', '"""'), ...quotes], 'Vala: vala vapi'),
  ...sharing([...slashes, raw("'''", "'''"), quoted("'", { hole: '${' })], 'Bicep: bicep'),
  ...sharing([...slashes, tripleQuotes[0], quoted('"', { hole: '${' })], 'TypeSpec: tsp'),
  ...sharing([...slashes, ...longDouble, character], 'Reason: re rei'),
  ...sharing([...slashes, ...longQuotes], 'Haxe: hx'),
  ...sharing(
    [...slashes, raw('`', '`', { escape: '\\', hole: '${' }), ...longDouble, character],
    'ReScript: res resi',
  ),
  ...sharing([...slashes, block('/+', '+/', { nested: '/+' }), raw('`', '`'), ...longQuotes], 'D: d di'),
  ...sharing(nestedSlashes, 'WGSL: wgsl'),
  ...sharing([...nestedSlashes, raw('`', '`'), ...quotes], 'Odin: odin'),
  ...sharing(hashed, 'Awk: awk gawk !awk !gawk !mawk !nawk', "Cap'n Proto: capnp"),
  ...sharing([...hash, ...cLike], 'Hack: hack hhi'),
  ...sharing([...hash, ...longQuotes], 'Puppet: puppet', 'Raku: raku rakumod p6 !raku !perl6 !rakudo'),
  ...sharing([...hash, raw('`', '`'), quoted('"')], 'Rego: rego'),
  ...sharing([...hash, raw("'''", "'''"), quoted("'")], 'Meson: meson =meson.build =meson_options.txt'),
  ...sharing([...hash, ...slashes, raw('|||', '|||'), ...longQuotes], 'Jsonnet: jsonnet libsonnet'),
  ...sharing([...hash, ...semicolon, quoted('"')], 'Git Config: =.gitconfig =.gitmodules'),
  ...sharing(
    [
      ...hash,
      block('/*', '*/'),
      raw(/(?<!\w)''/y, "''", { first: "'", hole: '${' }),
      raw('"', '"', { escape: '\\', hole: '${' }),
    ],
    'Nix: nix',
  ),
  ...sharing(
    [...hash, tripleQuotes[0], raw("'''", "'''"), quoted('"'), raw("'", "'", { oneLine: true })],
    'TOML: toml =cargo.lock =poetry.lock =uv.lock =pipfile =pdm.lock',
  ),
  ...sharing(
    [escaped, ...hash],
    'Makefile: mk mak make =makefile =gnumakefile =bsdmakefile =makefile.am =makefile.in !make !gmake !bmake',
  ),
  ...sharing(
    [escaped, line(/(?<=(?:^|;)[ \t]{0,200})#/my, { first: '#' }), ...longDouble],
    'Tcl: tcl tk !tclsh !wish !expect',
  ),
  ...sharing([block('#[[', ']]'), ...hash, ...longDouble], 'CMake: cmake =cmakelists.txt'),
  ...sharing(
    [block('#[', ']#', { nested: '#[' }), ...hash, ...tripleQuotes, quoted('"'), character],
    'Nim: nim nims nimble !nim',
  ),
  ...sharing(
    [
      block('###', '###'),
      ...hash,
      tripleQuotes[0],
      tripleQuotes[1],
      raw('"', '"', { escape: '\\', hole: '#{' }),
      longQuotes[1],
    ],
    'CoffeeScript: coffee !coffee',
  ),
  ...sharing(
    [
      block('#=', '=#', { nested: '#=' }),
      ...hash,
      raw('"""', '"""', { escape: '\\', hole: '$(', names: variableName }),
      raw('"', '"', { escape: '\\', hole: '$(', names: variableName }),
      character,
    ],
    'Julia: jl !julia',
  ),
  ...sharing(
    looseHash,
    'CODEOWNERS: =codeowners',
    'Dockerfile: dockerfile containerfile =dockerfile =containerfile',
    'Earthly: =earthfile',
    'Git Attributes: =.gitattributes',
    'Ignore List: =.gitignore =.dockerignore =.npmignore =.eslintignore =.prettierignore',
    'Pip Requirements: =requirements.txt =requirements-dev.txt =constraints.txt =dev-requirements.txt',
    'Procfile: =procfile',
  ),
  ...sharing(
    [...looseHash, ...quotes],
    'Dotenv: =.env =.env.example =.env.local =.env.sample',
    'Just: =justfile =.justfile !just',
  ),
  ...sharing([...looseHash, ...longQuotes], 'Nushell: nu !nu'),
  ...sharing(yaml, 'YAML: yaml yml =.clang-format =.clang-tidy =pnpm-lock.yaml =glide.lock'),
  ...sharing(
    [line(/(?<![^\s])[#;]/y, { first: '#;' })],
    'INI: ini cfg properties editorconfig =.editorconfig =.npmrc =.flake8 =.pylintrc',
  ),
  ...sharing(
    [quoted('"')],
    'JSON: json jsonl ndjson geojson webmanifest =composer.lock =.babelrc =.prettierrc =deno.lock =flake.lock =pipfile.lock',
  ),
  ...sharing([...semicolon, quoted('"')], 'LLVM: ll', 'Windows Registry Entries: reg'),
  ...sharing([...semicolon, ...cLike], 'Assembly: asm s nasm'),
  ...sharing([...semicolon, escaped, ...longDouble], 'Clojure: clj cljs cljc edn !bb !clojure !clj'),
  ...sharing([...semicolon, matched('code', '?', /(?<!\w)\?\\?./y), ...longDouble], 'Emacs Lisp: el'),
  ...sharing(
    lisp,
    'Common Lisp: lisp lsp asd !sbcl !clisp !ecl',
    'Racket: rkt !racket',
    'Scheme: scm ss sld !guile !gosh !csi !scheme',
  ),
  ...sharing([line(';;'), block('(;', ';)', { nested: '(;' }), quoted('"')], 'WebAssembly: wat wast'),
  ...sharing(percent, 'BibTeX: bib'),
  ...sharing([escaped, ...percent], 'TeX: tex sty ltx'),
  ...sharing([...percent, block('/*', '*/'), ...longQuotes], 'Prolog: pro prolog !swipl'),
  ...sharing([...percent, matched('code', '$', /\$\\?./y), ...longQuotes], 'Erlang: erl hrl !escript'),
  ...sharing(
    [
      block('%{', '%}'),
      ...percent,
      matched('string', "'", /(?<![\w)\]}.'])'(?:[^'\r\n]|''){0,500}'/y),
      doubledQuotes[1],
    ],
    'MATLAB: matlab',
  ),
  ...sharing([line('%%')], 'Mermaid: mmd mermaid'),
  ...sharing(haskell, 'Elm: elm', 'Haskell: hs hsc !runhaskell !runghc !stack', 'PureScript: purs'),
  ...sharing([block('/-', '-/', { nested: '/-' }), ...dashes, ...longDouble, character], 'Lean: lean'),
  ...sharing(ml, 'OCaml: ml mli mll mly !ocaml !ocamlrun'),
  ...sharing(
    [slashLine, raw('"""', '"""'), raw(/(?<=@)"/y, '"', { first: '"', doubled: true }), ...ml],
    'F#: fs fsi fsx ~fsharp !fsharpi',
  ),
  ...sharing([slashLine, block('{', '}'), block('(*', '*)'), doubledQuotes[0]], 'Pascal: pas pp dpr'),
  ...sharing([line('*>'), ...doubledQuotes], 'COBOL: cob cbl cobol'),
  ...sharing([line('!'), ...doubledQuotes], 'Fortran: f f77 f90 f95 f03 f08'),
  ...sharing([line("'"), doubledQuotes[1]], 'Visual Basic .NET: vb'),
  ...sharing(
    [line(/^[ \t]{0,200}"/my, { first: ' \t"' }), quoted('"'), doubledQuotes[0]],
    'Vim Script: vim =.vimrc =vimrc',
  ),
  ...sharing([line(/^[ \t]{0,50}@?(?:rem\b|::)/imy, { first: ' \t@rR:' })], 'Batchfile: bat cmd'),
  ...sharing(cLexical, 'Objective-C++: mm'),
  ...sharing(pythonLexical, 'Mojo: mojo'),
  ...sharing(rubyLexical, 'Crystal: cr !crystal'),
  ...sharing([block('/*', '*/'), ...quotes], 'CSS: css'),
  ...sharing(stylesheet, 'Less: less', 'Sass: sass', 'SCSS: scss', 'Stylus: styl'),
  ...sharing(
    markup,
    'HTML: html htm xhtml',
    'SVG: svg',
    'XML: xml xsd xsl xslt wsdl csproj fsproj vbproj props targets plist storyboard xib resx pom',
  ),
  ...sharing([block('<!--', '-->')], 'Markdown: md markdown mkd mdown'),
  ...sharing([block('<!--', '-->'), block('{/*', '*/}')], 'MDX: mdx'),
  ...sharing([line(/^\/\//my, { first: '/' })], 'AsciiDoc: adoc asciidoc'),
  ...sharing([line(/^[ \t]{0,200}# /my, { first: ' \t#' })], 'Org: org'),
  ...sharing([line(/^[ \t]{0,200}(?:-#|\/)/my, { first: ' \t-/' })], 'Haml: haml'),
  ...sharing([line(/(?<!:)\/\//y, { first: '/' })], 'Pug: pug jade'),
  ...sharing([line(/^[ \t]{0,200}\//my, { first: ' \t/' })], 'Slim: slim'),
  ...sharing(template(['<%#', '%>']), 'EJS: ejs', 'HTML+ERB: erb rhtml'),
  ...sharing(template(['{{/*', '*/}}'], ['{{- /*', '*/ -}}']), 'Go Template: gotmpl tmpl tpl'),
  ...sharing(template(['{{!--', '--}}'], ['{{!', '}}']), 'Handlebars: hbs handlebars mustache'),
  ...sharing(template(['{#', '#}']), 'Jinja: j2 jinja jinja2', 'Twig: twig'),
  ...sharing(template(['{% comment %}', '{% endcomment %}'], ['{#', '#}']), 'Liquid: liquid'),
  ...sharing(template(['{*', '*}']), 'Smarty: smarty'),
];
