import { escapePattern } from '../../../../foundation/kernel/text/escape-pattern.ts';
import type { Query } from '../../port.ts';
import { literalMatcher, type Matcher, patternMatcher, wordMatcher } from './matcher.ts';
import { type Engine, v8Engine } from './pattern/engine.ts';

/** A query that is ready to run: `any` is expanded to both fields, and patterns are compiled. */
export type CompiledQuery =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly CompiledQuery[] }
  | { readonly kind: 'not'; readonly operand: CompiledQuery }
  | ContentAtom
  | PathAtom
  | SymbolAtom
  | BranchLeaf
  | { readonly kind: 'repository' | 'language'; readonly text: string };

export interface ContentAtom {
  readonly kind: 'content';
  readonly matcher: Matcher;
  /** The text, if it is to be a whole word. */
  readonly word?: string;
}

export interface PathAtom {
  readonly kind: 'path';
  readonly matcher: Matcher;
}

/** A condition on the names that a file defines. */
export interface SymbolAtom {
  readonly kind: 'symbol';
  readonly matcher: Matcher;
  /** The only name that matches, if its case matters. */
  readonly name?: string;
}

/** A condition on the names of the branches that contain a file. */
export interface BranchLeaf {
  readonly kind: 'branch';
  readonly pattern: string;
}

/** The atoms whose matches are shown: those that are not negated. */
export interface PositiveAtoms {
  readonly content: readonly ContentAtom[];
  readonly path: readonly PathAtom[];
  readonly symbol: readonly SymbolAtom[];
}

/**
 * Compiles a query that `checkQuery` accepted. Compilation can take long, so it must run in a search thread.
 * @throws InvalidInput for a pattern outside the subset.
 */
export function compileQuery(query: Query, engine: Engine = v8Engine): CompiledQuery {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, operands: query.operands.map((operand) => compileQuery(operand, engine)) };
    case 'not':
      return { kind: 'not', operand: compileQuery(query.operand, engine) };
    case 'literal':
      return atom(query.field, literalMatcher(query, engine));
    case 'regex':
      return atom(query.field, patternMatcher(query, engine));
    case 'word':
      return { kind: 'content', matcher: wordMatcher(query.text), word: query.text };
    case 'repository':
      return { kind: 'repository', text: query.text.toLowerCase() };
    case 'language':
      return { kind: 'language', text: query.name.toLowerCase() };
    case 'symbol':
      return symbolAtom(query, engine);
    case 'branch':
      return { kind: 'branch', pattern: query.pattern };
  }
}

function symbolAtom(
  { form, text, caseSensitive }: Extract<Query, { kind: 'symbol' }>,
  engine: Engine,
): SymbolAtom {
  const kind = 'symbol';
  const field = 'content';
  if (form === 'literal')
    return { kind, matcher: literalMatcher({ kind: 'literal', text, caseSensitive, field }, engine) };
  const source = form === 'whole' ? `^${escapePattern(text)}$` : text;
  const matcher = patternMatcher({ kind: 'regex', source, caseSensitive, field }, engine);
  return form === 'whole' && caseSensitive ? { kind, matcher, name: text } : { kind, matcher };
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

export function positiveAtoms(query: CompiledQuery): PositiveAtoms {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const operands = query.operands.map(positiveAtoms);
      return {
        content: operands.flatMap((atoms) => atoms.content),
        path: operands.flatMap((atoms) => atoms.path),
        symbol: operands.flatMap((atoms) => atoms.symbol),
      };
    }
    case 'content':
      return { content: [query], path: [], symbol: [] };
    case 'path':
      return { content: [], path: [query], symbol: [] };
    case 'symbol':
      return { content: [], path: [], symbol: [query] };
    case 'not':
    case 'repository':
    case 'language':
    case 'branch':
      return { content: [], path: [], symbol: [] };
  }
}
