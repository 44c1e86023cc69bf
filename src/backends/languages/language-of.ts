import { languageOfScript } from './language-of-script.ts';
import { allLanguages, byWord } from './languages.ts';

/**
 * Detects the language of a file from its name, with the language names of GitHub Linguist. Where Linguist would read
 * the content to decide (`.h`, `.m`, `.pl`), the most common language wins, so that a search filter stays
 * predictable. Only a file whose name says nothing takes it from the interpreter in its first line.
 */

const byExtension = byWord(({ endings }) => endings);
const byFileName = byWord(({ fileNames }) => fileNames);

/** Every name that `languageOf` can return, for `lang:` suggestions. */
export const languageNames: readonly string[] = allLanguages
  .filter(({ endings, fileNames }) => (endings ?? fileNames) !== undefined)
  .map(({ name }) => name)
  .toSorted((a, b) => a.localeCompare(b, 'en'));

/** Other names of languages, such as `golang`, with the name of each. */
export const languageAliases = byWord(({ aliases }) => aliases);

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
