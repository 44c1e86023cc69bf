/** The syntax of a language, as far as its parts have colours. */
export interface Syntax {
  /** Marks that start a comment that ends with its line. */
  readonly lineComments: readonly string[];
  /** True if such a comment needs a space or the start of a line before it, as in a shell. */
  readonly spacedComments?: boolean;
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly strings: readonly StringSyntax[];
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase?: boolean;
  /** True if `<name` and `</name` are keywords. */
  readonly tags?: boolean;
}

export interface StringSyntax {
  readonly open: string;
  /** Default: the same as `open`. */
  readonly close?: string;
  /** False if a backslash is an ordinary character. */
  readonly escapes?: boolean;
  readonly multiline?: boolean;
  /** True if it holds one character: `'` starts a lifetime or a label too. */
  readonly single?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const double: StringSyntax = { open: '"' };
const single: StringSyntax = { open: "'" };
const character: StringSyntax = { open: "'", single: true };
const template: StringSyntax = { open: '`', multiline: true };
const slashes = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
} as const;

const script: Syntax = {
  ...slashes,
  strings: [double, single, template],
  keywords:
    words(`abstract any as asserts async await bigint boolean break case catch class const continue declare default
    delete do else enum export extends false finally for from function get if implements import in infer instanceof
    interface is keyof let namespace never new null number object of override private protected public readonly return
    satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while
    with yield`),
};
const c: Syntax = {
  ...slashes,
  strings: [double, character],
  keywords:
    words(`#define #elif #else #endif #if #ifdef #ifndef #include #pragma #undef alignas alignof asm auto bool break
    case catch char class concept const constexpr consteval continue co_await co_return co_yield decltype default delete
    do double else enum explicit extern false final float for friend goto if inline int long mutable namespace new
    noexcept nullptr NULL operator override private protected public register requires restrict return short signed
    sizeof static static_assert static_cast struct switch template this throw true try typedef typename union unsigned
    using virtual void volatile while`),
};
const java: Syntax = {
  ...slashes,
  strings: [{ open: '"""', multiline: true }, double, character],
  keywords:
    words(`abstract as assert boolean break by byte case catch char class companion const continue data def default do
    double else enum extends false final finally float for fun given if implements import in init inline instanceof int
    interface internal is lateinit lazy long match native new null object open operator out override package permits
    private protected public record return sealed short static super suspend switch synchronized this throw throws trait
    transient true try type typealias val var vararg void volatile when where while with yield`),
};
const csharp: Syntax = {
  ...slashes,
  strings: [{ open: '@"', close: '"', escapes: false, multiline: true }, double, character],
  keywords:
    words(`#endif #endregion #if #region abstract as async await base bool break byte case catch char checked class const
    continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get
    goto if implicit in init int interface internal is lock long namespace new null object operator out override params
    private protected public readonly record ref required return sbyte sealed set short sizeof static string struct
    switch this throw true try typeof uint ulong unchecked unsafe ushort using var virtual void volatile when where
    while with yield`),
};
const go: Syntax = {
  ...slashes,
  strings: [double, { open: '`', escapes: false, multiline: true }, character],
  keywords:
    words(`any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for
    func go goto if import int int32 int64 interface iota map nil package range return rune select string struct switch
    true type uint uint32 uint64 uint8 var`),
};
const rust: Syntax = {
  ...slashes,
  strings: [
    { open: 'r#"', close: '"#', escapes: false, multiline: true },
    { ...double, multiline: true },
    character,
  ],
  keywords:
    words(`as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for i16 i32 i64
    i8 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true type u16
    u32 u64 u8 union unsafe use usize where while`),
};
const swift: Syntax = {
  ...slashes,
  strings: [{ open: '"""', multiline: true }, double],
  keywords:
    words(`actor any as associatedtype async await break case catch class continue default defer deinit do else enum
    extension fallthrough false fileprivate final for func get guard if import in init inout internal is lazy let mutating
    nil open operator override private protocol public repeat rethrows return self Self set some static struct subscript
    super switch throw throws true try typealias var weak where while`),
};
const python: Syntax = {
  lineComments: ['#'],
  blockComments: [],
  strings: [{ open: '"""', multiline: true }, { open: "'''", multiline: true }, double, single],
  keywords:
    words(`and as assert async await break case class continue def del elif else except False finally for from global if
    import in is lambda match None nonlocal not or pass raise return self True try while with yield`),
};
const ruby: Syntax = {
  lineComments: ['#'],
  blockComments: [['=begin', '=end']],
  strings: [double, single],
  keywords:
    words(`alias and attr_accessor attr_reader begin BEGIN break case class def defined? do else elsif end END ensure extend
    false for if in include module next nil not or private protected public raise redo require require_relative rescue
    retry return self super then true undef unless until when while yield`),
};
const php: Syntax = {
  lineComments: ['//', '#'],
  blockComments: [['/*', '*/']],
  strings: [double, single],
  keywords:
    words(`abstract and array as bool break callable case catch class clone const continue declare default do echo else
    elseif enum extends false final finally float fn for foreach function global if implements include instanceof int
    interface match namespace new null object or parent private protected public readonly require require_once return
    self static string switch this throw trait true try use var void while yield`),
};
const shell: Syntax = {
  lineComments: ['#'],
  spacedComments: true,
  blockComments: [],
  strings: [
    { ...double, multiline: true },
    { open: "'", escapes: false, multiline: true },
  ],
  keywords:
    words(`case declare do done elif else esac eval exec exit export fi for function if in local readonly return set shift
    source then trap unset until while`),
};
const sql: Syntax = {
  lineComments: ['--'],
  blockComments: [['/*', '*/']],
  strings: [{ ...single, escapes: false, multiline: true }],
  ignoresCase: true,
  keywords:
    words(`add all alter and any as asc begin between bigint boolean by cascade case cast check column commit constraint
    create cross current_timestamp database default delete desc distinct drop else end exists false foreign from full
    function group having if in index inner insert int integer intersect into is join key left like limit not null
    numeric offset on or order outer over partition primary references returning right rollback select set table text
    then timestamp to transaction true union unique update using values varchar view when where with`),
};
const json: Syntax = {
  ...slashes,
  strings: [double],
  keywords: words('false null true'),
};
const settings: Syntax = {
  lineComments: ['#'],
  spacedComments: true,
  blockComments: [],
  strings: [double, { ...single, escapes: false }],
  keywords: words('false null true yes no on off'),
};
const hcl: Syntax = {
  ...slashes,
  lineComments: ['#', '//'],
  strings: [double],
  keywords: words(
    'data dynamic false for for_each if in locals module null output provider resource terraform true variable',
  ),
};
const docker: Syntax = {
  ...shell,
  ignoresCase: true,
  keywords:
    words(`add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user
    volume workdir`),
};
const make: Syntax = {
  ...shell,
  strings: [double, single],
  keywords: words('define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath'),
};
const css: Syntax = {
  ...slashes,
  lineComments: [],
  strings: [double, single],
  keywords: words(
    '@apply @charset @container @font-face @import @keyframes @layer @media @namespace @page @property @supports',
  ),
};
const markup: Syntax = {
  lineComments: [],
  blockComments: [['<!--', '-->']],
  strings: [double],
  keywords: new Set(),
  tags: true,
};
const declarations: Syntax = {
  lineComments: ['//', '#'],
  blockComments: [
    ['/*', '*/'],
    ['"""', '"""'],
  ],
  strings: [double],
  keywords:
    words(`bool bytes directive double enum extend false fixed32 fixed64 float fragment implements import input int32 int64
    interface map message mutation null oneof on option optional package query repeated required reserved returns rpc
    scalar schema service string stream subscription syntax true type uint32 uint64 union`),
};
const lua: Syntax = {
  lineComments: ['--'],
  blockComments: [['--[[', ']]']],
  strings: [{ open: '[[', close: ']]', escapes: false, multiline: true }, double, single],
  keywords:
    words(`and break do else elseif end false for function goto if in local nil not or repeat return self then true until
    while`),
};
const elixir: Syntax = {
  lineComments: ['#'],
  blockComments: [],
  strings: [{ open: '"""', multiline: true }, double],
  keywords:
    words(`after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for
    if import in nil not or quote raise receive require rescue true try unless unquote use when with`),
};

/** The syntaxes, by the language names of the code search. Languages without one have no colours. */
export const syntaxes: ReadonlyMap<string, Syntax> = new Map([
  ...named(script, 'JavaScript', 'TypeScript', 'TSX', 'Vue', 'Svelte', 'Astro'),
  ...named(c, 'C', 'C++', 'Cuda', 'Objective-C', 'Objective-C++', 'GLSL', 'HLSL'),
  ...named(java, 'Java', 'Kotlin', 'Scala', 'Groovy', 'Gradle', 'Dart'),
  ...named(csharp, 'C#'),
  ...named(go, 'Go'),
  ...named(rust, 'Rust', 'Zig'),
  ...named(swift, 'Swift'),
  ...named(python, 'Python', 'Cython', 'Starlark', 'Mojo'),
  ...named(ruby, 'Ruby', 'Crystal'),
  ...named(php, 'PHP', 'Hack'),
  ...named(shell, 'Shell', 'Awk'),
  ...named(sql, 'SQL', 'PLpgSQL'),
  ...named(json, 'JSON', 'JSON with Comments', 'JSON5', 'Jsonnet', 'Jupyter Notebook'),
  ...named(settings, 'YAML', 'TOML', 'INI'),
  ...named(hcl, 'HCL', 'Nix', 'Bicep'),
  ...named(docker, 'Dockerfile'),
  ...named(make, 'Makefile', 'CMake'),
  ...named(css, 'CSS', 'SCSS', 'Less', 'Sass'),
  ...named(markup, 'HTML', 'XML', 'SVG', 'HTML+ERB', 'Handlebars', 'Liquid'),
  ...named(declarations, 'Protocol Buffer', 'GraphQL', 'Thrift', 'Prisma'),
  ...named(lua, 'Lua'),
  ...named(elixir, 'Elixir'),
]);

function named(syntax: Syntax, ...languages: readonly string[]): readonly (readonly [string, Syntax])[] {
  return languages.map((language) => [language, syntax]);
}
