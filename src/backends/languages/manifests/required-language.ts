/** Matches the line of a manifest that requires a version of a language or runtime, which has its name. */
const requirement =
  /^\s*(?:"engines": ?\{ ?)?(?:"?(?:requires-)?(go|node|php|python|ruby)"?|(python)_requires|(rust)-version|\w{1,40}\.required_(ruby)_version)\s*[:= ]\s*["']?[^\w"']{0,4}\d/;

/** Returns the language or runtime of which a line of a manifest requires a version. */
export function requiredLanguage(line: string): string | undefined {
  return requirement
    .exec(line)
    ?.slice(1)
    .find((name) => name !== undefined);
}
