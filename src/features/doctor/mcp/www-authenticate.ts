/** One challenge of a `WWW-Authenticate` header; names in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * RFC 9110 section 11.6.1: several challenges may stand in one header. A name with `=` after it is a parameter of the
 * challenge before it, any other begins a challenge.
 */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, name = '', quoted, plain] of header.matchAll(part)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}

const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"=]+)))?/g;
