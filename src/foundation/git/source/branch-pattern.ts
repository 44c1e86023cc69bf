import type { InvalidInput } from '../../kernel/errors.ts';
import { invalidField } from '../../kernel/wire/invalid-field.ts';
import { isRefName } from './ref-name.ts';

/** Maximum number of names and patterns per repository, besides the default branch. */
const maxPatterns = 63;
/** Maximum number of wildcards in a pattern, which is matched against every branch that a host names. */
const maxWildcards = 8;

/**
 * Checks the further branches to mirror: exact names, or patterns in which `*` matches any characters, including
 * slashes. Removes duplicates.
 * @throws InvalidInput naming the first that cannot match a branch.
 */
export function checkBranchPatterns(patterns: readonly string[]): readonly string[] {
  const distinct = [...new Set(patterns)];
  if (distinct.length > maxPatterns) {
    throw error(`may hold at most ${maxPatterns} names or patterns; \`release/*\` covers many branches`);
  }
  const wild = distinct.find((pattern) => pattern.split('*').length - 1 > maxWildcards);
  if (wild !== undefined) {
    throw error(
      `holds ${quoted(wild)}, which has more than ${maxWildcards} \`*\`; one matches any characters`,
    );
  }
  // A `*` may match any letter.
  const bad = distinct.find((pattern) => !isRefName(pattern.replaceAll('*', 'x')));
  if (bad !== undefined) {
    throw error(
      `holds ${quoted(bad)}, which is not a valid branch name; use names or patterns such as "release/*"`,
    );
  }
  return distinct;
}

/** Returns a function that tests a branch name against the pattern. */
export function branchMatcher(pattern: string): (branch: string) => boolean {
  if (!pattern.includes('*')) return (branch) => branch === pattern;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  return (branch) => {
    if (!branch.startsWith(first) || !branch.endsWith(last)) return false;
    // Match each part at its first position after the previous part: no other choice leaves more room.
    let at = first.length;
    for (const part of rest) {
      const found = branch.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= branch.length - last.length;
  };
}

function quoted(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

function error(message: string): InvalidInput {
  return invalidField('branches', message, `Branches: the list ${message}.`);
}
