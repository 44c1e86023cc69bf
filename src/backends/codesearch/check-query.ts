import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import { parsePattern } from './parse-pattern.ts';
import type { Query } from './port.ts';

const MOST_ATOMS = 20;

/**
 * Refuses a query that cannot be run. Patterns are parsed and no more: to print and compile one may take long, and is
 * left to a search thread, which can be ended.
 * @throws InvalidInput for a pattern outside the subset, or more than 20 literals and patterns.
 */
export function checkQuery(query: Query): void {
  if (countAtoms(query) > MOST_ATOMS) {
    const message = `The query has more than ${MOST_ATOMS} terms; search for fewer.`;
    throw invalidField('q', message, message);
  }
  checkAtoms(query);
}

function countAtoms(query: Query): number {
  if (query.kind === 'and' || query.kind === 'or') {
    return query.operands.reduce((sum, operand) => sum + countAtoms(operand), 0);
  }
  return query.kind === 'not' ? countAtoms(query.operand) : 1;
}

function checkAtoms(query: Query): void {
  switch (query.kind) {
    case 'and':
    case 'or':
      query.operands.forEach(checkAtoms);
      return;
    case 'not':
      checkAtoms(query.operand);
      return;
    case 'literal':
      checkLiteral(query.text);
      return;
    case 'regex':
      parsePattern(query.source, query.caseSensitive);
      return;
    case 'symbol':
      if (query.form === 'literal') checkLiteral(query.text);
      else parsePattern(query.text, query.caseSensitive);
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
