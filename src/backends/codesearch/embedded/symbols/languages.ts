import { c, cpp, csharp } from './c-rules.ts';
import { dart } from './dart-rules.ts';
import { ecmascript } from './ecmascript-rules.ts';
import { go } from './go-rules.ts';
import { groovy, java, kotlin, scala } from './jvm-rules.ts';
import type { LanguageRules } from './line-rule.ts';
import { python } from './python-rules.ts';
import { rust } from './rust-rules.ts';
import { graphql, hcl, protocolBuffer, sql, thrift } from './schema-rules.ts';
import { elixir, lua, perl, php, powershell, r, ruby, shell } from './script-rules.ts';
import { swift } from './swift-rules.ts';
import { zig } from './zig-rules.ts';

/** Rules of the supported languages, by the names that `languageOf` returns. */
export const symbolRules: Readonly<Record<string, LanguageRules>> = {
  Astro: ecmascript,
  C: c,
  'C#': csharp,
  'C++': cpp,
  Cuda: cpp,
  Cython: python,
  Dart: dart,
  Elixir: elixir,
  Go: go,
  Gradle: groovy,
  GraphQL: graphql,
  Groovy: groovy,
  HCL: hcl,
  Java: java,
  JavaScript: ecmascript,
  Kotlin: kotlin,
  Lua: lua,
  'Objective-C': c,
  PHP: php,
  PLpgSQL: sql,
  Perl: perl,
  PowerShell: powershell,
  'Protocol Buffer': protocolBuffer,
  Python: python,
  R: r,
  Ruby: ruby,
  Rust: rust,
  SQL: sql,
  Scala: scala,
  Shell: shell,
  Starlark: python,
  Svelte: ecmascript,
  Swift: swift,
  TSX: ecmascript,
  Thrift: thrift,
  TypeScript: ecmascript,
  Vue: ecmascript,
  Zig: zig,
};
