import { c } from './c/c.ts';
import { cpp, cuda } from './c/cpp.ts';
import { objectiveC } from './c/objective-c.ts';
import { csharp } from './dotnet/csharp.ts';
import { components } from './ecmascript/components.ts';
import { javascript } from './ecmascript/javascript.ts';
import { tsx } from './ecmascript/tsx.ts';
import { typescript } from './ecmascript/typescript.ts';
import { gradle, groovy } from './jvm/groovy.ts';
import { java } from './jvm/java.ts';
import { kotlin } from './jvm/kotlin.ts';
import { scala } from './jvm/scala.ts';
import type { Language, LanguageNames, SourceLanguage } from './language.ts';
import { otherLanguages } from './other-languages.ts';
import { cython } from './python/cython.ts';
import { notebook } from './python/notebook.ts';
import { python } from './python/python.ts';
import { starlark } from './python/starlark.ts';
import { graphql } from './schemas/graphql.ts';
import { hcl } from './schemas/hcl.ts';
import { protocolBuffer } from './schemas/protocol-buffer.ts';
import { plpgsql, sql } from './schemas/sql.ts';
import { thrift } from './schemas/thrift.ts';
import { elixir } from './scripts/elixir.ts';
import { lua } from './scripts/lua.ts';
import { perl } from './scripts/perl.ts';
import { php } from './scripts/php.ts';
import { powershell } from './scripts/powershell.ts';
import { r } from './scripts/r.ts';
import { ruby } from './scripts/ruby.ts';
import { shell } from './scripts/shell.ts';
import { dart } from './systems/dart.ts';
import { go } from './systems/go.ts';
import { rust } from './systems/rust.ts';
import { swift } from './systems/swift.ts';
import { zig } from './systems/zig.ts';

/** The languages with definitions, by the names that `languageOf` returns. */
export const sourceLanguages: ReadonlyMap<string, SourceLanguage> = new Map(
  [
    c,
    ...components,
    cpp,
    csharp,
    cuda,
    cython,
    dart,
    elixir,
    go,
    gradle,
    graphql,
    groovy,
    hcl,
    java,
    javascript,
    kotlin,
    lua,
    notebook,
    objectiveC,
    perl,
    php,
    plpgsql,
    powershell,
    protocolBuffer,
    python,
    r,
    ruby,
    rust,
    scala,
    shell,
    sql,
    starlark,
    swift,
    thrift,
    tsx,
    typescript,
    zig,
  ].map((language): [string, SourceLanguage] => [language.name, language]),
);

/** The languages with a grammar, by their names. The definitions of the others are found line by line. */
export const languages: ReadonlyMap<string, Language> = new Map(
  [...sourceLanguages].flatMap(([name, language]) => ('grammar' in language ? [[name, language]] : [])),
);

/** The names of every known language and its files. */
export const allLanguages: readonly LanguageNames[] = [...sourceLanguages.values(), ...otherLanguages];

/** Returns the names of the languages by words of one kind, such as their endings. */
export function byWord(
  wordsOf: (language: LanguageNames) => string | undefined,
): ReadonlyMap<string, string> {
  return new Map(
    allLanguages.flatMap((language) =>
      (wordsOf(language)?.split(' ') ?? []).map((word): [string, string] => [word, language.name]),
    ),
  );
}
