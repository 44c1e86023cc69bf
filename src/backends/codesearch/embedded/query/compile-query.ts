import { invalidField } from '../../../../foundation/kernel/invalid-field.ts';
import type { Query } from '../../port.ts';
import { literalMatcher, type Matcher, patternMatcher } from './matcher.ts';

/** A query made ready to run: `any` is resolved to both fields, patterns are checked and compiled. */
export type CompiledQuery =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly CompiledQuery[] }
  | { readonly kind: 'not'; readonly operand: CompiledQuery }
  | ContentAtom
  | PathAtom
  | { readonly kind: 'repository' | 'language'; readonly text: string };

export interface ContentAtom {
  readonly kind: 'content';
  readonly matcher: Matcher;
}

export interface PathAtom {
  readonly kind: 'path';
  readonly matcher: Matcher;
}

/** The atoms whose matches are shown: those not negated. */
export interface ShownAtoms {
  readonly content: readonly ContentAtom[];
  readonly path: readonly PathAtom[];
}

const MOST_ATOMS = 20;

/** @throws InvalidInput for a pattern outside the subset, or more than 20 literals and patterns. */
export function compileQuery(query: Query): CompiledQuery {
  if (countAtoms(query) > MOST_ATOMS) {
    const message = `The query has more than ${MOST_ATOMS} terms; search for fewer.`;
    throw invalidField('q', message, message);
  }
  return compile(query);
}

function compile(query: Query): CompiledQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, operands: query.operands.map(compile) };
    case 'not':
      return { kind: 'not', operand: compile(query.operand) };
    case 'literal':
      return atom(query.field, literalMatcher(query));
    case 'regex':
      return atom(query.field, patternMatcher(query));
    case 'repository':
      return { kind: 'repository', text: query.text.toLowerCase() };
    case 'language':
      return { kind: 'language', text: query.name.toLowerCase() };
  }
}

function atom(field: 'content' | 'path' | 'any', matcher: Matcher): CompiledQuery {
  if (field !== 'any') return { kind: field, matcher };
  return {
    kind: 'or',
    operands: [
      { kind: 'content', matcher },
      { kind: 'path', matcher },
    ],
  };
}

function countAtoms(query: Query): number {
  if (query.kind === 'and' || query.kind === 'or') {
    return query.operands.reduce((sum, operand) => sum + countAtoms(operand), 0);
  }
  return query.kind === 'not' ? countAtoms(query.operand) : 1;
}

export function shownAtoms(query: CompiledQuery): ShownAtoms {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const operands = query.operands.map(shownAtoms);
      return {
        content: operands.flatMap((atoms) => atoms.content),
        path: operands.flatMap((atoms) => atoms.path),
      };
    }
    case 'content':
      return { content: [query], path: [] };
    case 'path':
      return { content: [], path: [query] };
    case 'not':
    case 'repository':
    case 'language':
      return { content: [], path: [] };
  }
}
