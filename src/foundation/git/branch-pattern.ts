import type { InvalidInput } from '../kernel/errors.ts';
import { invalidField } from '../kernel/invalid-field.ts';
import { isRefName } from './ref-name.ts';

/** Names and patterns that one repository may be followed by, beside its default branch. */
const mostPatterns = 63;
/** Of one pattern; each is looked for in every branch that a host names. */
const mostWildcards = 8;

/**
 * Branches to follow beside the default one: exact names, or patterns in which `*` stands for any characters, slashes
 * included. Doubles are dropped.
 * @throws InvalidInput naming the first that no branch can have.
 */
export function checkBranchPatterns(patterns: readonly string[]): readonly string[] {
  const distinct = [...new Set(patterns)];
  if (distinct.length > mostPatterns) {
    throw fault(`may hold at most ${mostPatterns} names or patterns; \`release/*\` covers many branches`);
  }
  const wild = distinct.find((pattern) => pattern.split('*').length - 1 > mostWildcards);
  if (wild !== undefined) {
    throw fault(
      `holds ${shown(wild)}, which has more than ${mostWildcards} \`*\`; one stands for any characters`,
    );
  }
  // What stands in the place of a `*` can be any letter.
  const bad = distinct.find((pattern) => !isRefName(pattern.replaceAll('*', 'x')));
  if (bad !== undefined) {
    throw fault(`holds ${shown(bad)}, which no branch is called; give names or patterns such as "release/*"`);
  }
  return distinct;
}

/** Whether a branch of this name is meant. */
export function branchMatcher(pattern: string): (branch: string) => boolean {
  if (!pattern.includes('*')) return (branch) => branch === pattern;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  return (branch) => {
    if (!branch.startsWith(first) || !branch.endsWith(last)) return false;
    // Each part at its first place after the one before: no other choice of places leaves more room.
    let at = first.length;
    for (const part of rest) {
      const found = branch.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= branch.length - last.length;
  };
}

function shown(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

function fault(message: string): InvalidInput {
  return invalidField('branches', message, `Branches: the list ${message}.`);
}
