import { c } from './c/c.ts';
import { cpp, cuda } from './c/cpp.ts';
import { csharp } from './dotnet/csharp.ts';
import { components } from './ecmascript/components.ts';
import { javascript } from './ecmascript/javascript.ts';
import { tsx } from './ecmascript/tsx.ts';
import { typescript } from './ecmascript/typescript.ts';
import { java } from './jvm/java.ts';
import type { Language, LanguageNames } from './language.ts';
import { otherLanguages } from './other-languages.ts';
import { notebook } from './python/notebook.ts';
import { python } from './python/python.ts';
import { starlark } from './python/starlark.ts';
import { php } from './scripts/php.ts';
import { ruby } from './scripts/ruby.ts';
import { shell } from './scripts/shell.ts';
import { go } from './systems/go.ts';
import { rust } from './systems/rust.ts';

/** The languages with a grammar, by the names that `languageOf` returns. */
export const languages: ReadonlyMap<string, Language> = new Map(
  [
    c,
    ...components,
    cpp,
    csharp,
    cuda,
    go,
    java,
    javascript,
    notebook,
    php,
    python,
    ruby,
    rust,
    shell,
    starlark,
    tsx,
    typescript,
  ].map((language) => [language.name, language]),
);

/** The names of every known language and its files. */
export const allLanguages: readonly LanguageNames[] = [...languages.values(), ...otherLanguages];
