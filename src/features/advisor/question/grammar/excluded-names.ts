const excludes =
  /\b(?:not|except(?: for)?|besides|unlike|rather than|instead of|other than)\s+(?:the\s+)?`?([\p{L}_$][\w$.]{1,80})/giu;

/** Returns the names that a question says not to mean, in lower case: "the new one, not RealIP". */
export function excludedNames(asked: string): ReadonlySet<string> {
  return new Set([...asked.matchAll(excludes)].flatMap(([, name]) => name?.toLowerCase() ?? []));
}
