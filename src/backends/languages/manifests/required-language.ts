/** Maximum number of characters of a line that are read. */
const maxLine = 200;
/** Matches the line of a manifest that requires a version of a language or runtime, which has its name. */
// bounded: at most 200 characters (the line is cut)
const requirement =
  /^ ?(?:"engines": ?\{ ?)?(?:"?(?:requires-)?(go|node|php|python|ruby)"?|(python)_requires|(rust)-version|\w{1,40}\.required_(ruby)_version)(?: ?[:=] ?| )(?:Gem::Requirement\.new\()?["']?[^\w"']{0,4}\d/;

/** Returns the language or runtime of which a line of a manifest requires a version. */
export function requiredLanguage(line: string): string | undefined {
  return requirement
    .exec(line.slice(0, maxLine).replaceAll(/\s+/g, ' '))
    ?.slice(1)
    .find((name) => name !== undefined);
}
