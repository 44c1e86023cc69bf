import type { Query } from '../../../backends/codesearch/port.ts';

/**
 * Returns the repositories that the `repo:` filters of a query leave, so that the index of no other one is opened. A
 * file of the others cannot match, whatever it contains.
 */
export function possibleRepositories<Each extends { readonly name: string }>(
  query: Query,
  repositories: readonly Each[],
): readonly Each[] {
  return repositories.filter(({ name }) => matches(query, name.toLowerCase()) !== false);
}

/** Returns whether all files of a repository match (true), none does (false), or it depends on them (`undefined`). */
function matches(query: Query, name: string): boolean | undefined {
  switch (query.kind) {
    case 'repository':
      return name.includes(query.text.toLowerCase());
    case 'not': {
      const operand = matches(query.operand, name);
      return operand === undefined ? undefined : !operand;
    }
    case 'and':
    case 'or': {
      const decisive = query.kind === 'or';
      const operands = query.operands.map((operand) => matches(operand, name));
      if (operands.includes(decisive)) return decisive;
      return operands.includes(undefined) ? undefined : !decisive;
    }
    case 'literal':
    case 'regex':
    case 'word':
    case 'language':
    case 'symbol':
    case 'branch':
      return undefined;
  }
}
