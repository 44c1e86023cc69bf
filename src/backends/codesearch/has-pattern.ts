import type { Query } from './port.ts';

/** Whether it holds a regular expression: the one thing that may take long over one file. */
export function hasPattern(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.some(hasPattern);
    case 'not':
      return hasPattern(query.operand);
    case 'symbol':
      return query.form === 'regex';
    case 'regex':
      return true;
    case 'literal':
    case 'repository':
    case 'language':
    case 'branch':
      return false;
  }
}
