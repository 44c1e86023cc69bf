import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { parsePattern } from './parse-pattern.ts';
import type { Query } from './port.ts';
import { leavesOf, type QueryLeaf } from './query-leaves.ts';

const maxAtoms = 20;

/**
 * Refuses a query that cannot be run. Patterns are only parsed here: printing and compiling one can be slow, so a
 * search thread does it, which can be terminated.
 * @throws InvalidInput for a pattern outside the subset, or more than 20 literals and patterns.
 */
export function checkQuery(query: Query): void {
  const leaves = leavesOf(query);
  if (leaves.length > maxAtoms) {
    const message = `The query has more than ${maxAtoms} terms; remove some of them.`;
    throw invalidField('q', message, message);
  }
  leaves.forEach(checkLeaf);
}

function checkLeaf(leaf: QueryLeaf): void {
  switch (leaf.kind) {
    case 'literal':
    case 'word':
      checkLiteral(leaf.text);
      return;
    case 'regex':
      parsePattern(leaf.source, leaf.caseSensitive);
      return;
    case 'symbol':
      if (leaf.form === 'regex') parsePattern(leaf.text, leaf.caseSensitive);
      else checkLiteral(leaf.text);
      return;
    case 'repository':
    case 'language':
    case 'branch':
      return;
  }
}

function checkLiteral(text: string): void {
  if (text === '') throw refuseLiteral('is empty; write what to search for');
  if (/[\n\0]/.test(text)) throw refuseLiteral('contains a newline or NUL; lines are searched one by one');
  if (!text.isWellFormed()) throw refuseLiteral('is not valid Unicode');
}

function refuseLiteral(what: string): InvalidInput {
  const message = `The text to search for ${what}.`;
  return invalidField('q', message, message);
}
