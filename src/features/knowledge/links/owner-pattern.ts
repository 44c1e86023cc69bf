/** Signs of a wildcard in the names of a pattern. No name of a file contains them. */
export const anyText = '\0';
export const oneCharacter = '/';
export const anyFolders = anyText + anyText;

/** A pattern of a CODEOWNERS file, by the rules of gitignore. */
export interface OwnerPattern {
  /** Its names, without escapes. The last one is empty if the pattern ends with a slash, which means a folder. */
  readonly segments: readonly string[];
  /** True if it begins at the root: it has a slash that is not at its end. */
  readonly isAnchored: boolean;
  readonly hasWildcard: boolean;
}

/** Reads a pattern in linear time. A backslash makes a literal of any character after it. */
export function readOwnerPattern(pattern: string): OwnerPattern {
  const segments: string[] = [];
  let name = '';
  let hasWildcard = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscaped = pattern[at] === '\\' && at + 1 < pattern.length;
    if (isEscaped) at += 1;
    const character = pattern.charAt(at);
    if (character === '/') {
      segments.push(name);
      name = '';
    } else if (isEscaped || (character !== '*' && character !== '?')) name += character;
    else {
      hasWildcard = true;
      if (character === '?') name += oneCharacter;
      // More than two asterisks mean the same as two.
      else if (name !== anyFolders) name += anyText;
    }
  }
  segments.push(name);
  const isRooted = segments.length > 1 && segments[0] === '';
  return {
    segments: isRooted ? segments.slice(1) : segments,
    isAnchored: isRooted || segments.length > (segments.at(-1) === '' ? 2 : 1),
    hasWildcard,
  };
}
