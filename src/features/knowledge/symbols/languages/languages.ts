import { c, cpp } from './c.ts';
import { csharp } from './csharp.ts';
import { javascript, tsx, typescript } from './ecmascript.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import type { Language } from './language.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { bash, php, ruby } from './script.ts';

/** The languages with a grammar, by the names that `languageOf` returns. */
export const languages: ReadonlyMap<string, Language> = new Map([
  ['C', c],
  ['C#', csharp],
  ['C++', cpp],
  ['Go', go],
  ['Java', java],
  ['JavaScript', javascript],
  ['PHP', php],
  ['Python', python],
  ['Ruby', ruby],
  ['Rust', rust],
  ['Shell', bash],
  ['TSX', tsx],
  ['TypeScript', typescript],
]);
