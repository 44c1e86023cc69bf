import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import { parsePattern } from './parse-pattern.ts';
import type { Query } from './port.ts';
import { leavesOf, type QueryLeaf } from './query-leaves.ts';

const MOST_ATOMS = 20;

/**
 * Refuses a query that cannot be run. Patterns are parsed and no more: to print and compile one may take long, and is
 * left to a search thread, which can be ended.
 * @throws InvalidInput for a pattern outside the subset, or more than 20 literals and patterns.
 */
export function checkQuery(query: Query): void {
  const leaves = leavesOf(query);
  if (leaves.length > MOST_ATOMS) {
    const message = `The query has more than ${MOST_ATOMS} terms; search for fewer.`;
    throw invalidField('q', message, message);
  }
  leaves.forEach(checkLeaf);
}

function checkLeaf(leaf: QueryLeaf): void {
  switch (leaf.kind) {
    case 'literal':
      checkLiteral(leaf.text);
      return;
    case 'regex':
      parsePattern(leaf.source, leaf.caseSensitive);
      return;
    case 'symbol':
      if (leaf.form === 'literal') checkLiteral(leaf.text);
      else parsePattern(leaf.text, leaf.caseSensitive);
      return;
    case 'repository':
    case 'language':
    case 'branch':
      return;
  }
}

function checkLiteral(text: string): void {
  if (text === '') throw refuseLiteral('is empty; write what to search for');
  if (/[\n\0]/.test(text)) throw refuseLiteral('holds a newline or NUL; search works line by line');
  if (!text.isWellFormed()) throw refuseLiteral('is not valid Unicode');
}

function refuseLiteral(what: string): InvalidInput {
  const message = `The text to search for ${what}.`;
  return invalidField('q', message, message);
}
