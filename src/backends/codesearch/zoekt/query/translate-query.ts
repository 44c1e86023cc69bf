import type { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { escapePattern } from '../../../../foundation/kernel/text/escape-pattern.ts';
import { invalidField } from '../../../../foundation/kernel/wire/invalid-field.ts';
import { parsePattern } from '../../parse-pattern.ts';
import type { NamedRepository, Query } from '../../port.ts';
import { leavesOf } from '../../query-leaves.ts';
import { searchedPart } from './branch-names.ts';
import { checkRepetitions } from './check-repetitions.ts';
import { languagePaths } from './language-paths.ts';
import { printRegex, printText } from './print-regex.ts';
import { and, constant, not, or, type ZoektQuery } from './zoekt-query.ts';

export interface Translated {
  readonly query: ZoektQuery;
  /** The branch patterns of the query, one per leaf; only `HEAD` if it has none. */
  readonly branches: readonly string[];
  readonly usesSymbols: boolean;
}

/**
 * Translates a checked query for Zoekt. `repositories` are the searched ones: a name matches some of them, and none
 * if none are known. `nameOf` returns the name of a repository in the index.
 *
 * Zoekt matches every branch whose name contains the text, so the caller must filter the results by `branches`. That
 * is only correct if every result must be on such a branch; other queries are refused.
 * @throws InvalidInput for a query that Zoekt cannot express.
 */
export function translateQuery(
  query: Query,
  repositories: readonly NamedRepository[],
  nameOf: (repository: NamedRepository) => string,
): Translated {
  const branches: string[] = [];
  const walk = (node: Query, required: boolean): ZoektQuery => {
    switch (node.kind) {
      case 'and':
        return and(...node.operands.map((operand) => walk(operand, required)));
      case 'or':
        return or(...node.operands.map((operand) => walk(operand, false)));
      case 'not':
        return not(walk(node.operand, false));
      case 'repository':
        return repositoriesNamed(node.text, repositories, nameOf);
      case 'language':
        return languagePaths(node.name);
      case 'branch':
        if (!required)
          throw refuse(
            'uses branch: under `or` or `-`, which Zoekt does not support; search each branch separately',
          );
        branches.push(node.pattern);
        return { kind: 'branch', text: searchedPart(node.pattern) };
      case 'literal':
      case 'regex':
      case 'word':
      case 'symbol':
        return patternOf(node);
    }
  };
  const translated = walk(query, true);
  const withBranch = branches.length > 0 ? translated : and(translated, { kind: 'branch', text: 'HEAD' });
  return {
    query: withBranch,
    branches: branches.length > 0 ? branches : ['HEAD'],
    usesSymbols: leavesOf(query).some(({ kind }) => kind === 'symbol'),
  };
}

function patternOf(node: Extract<Query, { kind: 'literal' | 'regex' | 'word' | 'symbol' }>): ZoektQuery {
  if (node.kind === 'word') return patternOf(patternOfWord(node.text));
  const field = node.kind === 'symbol' ? 'symbol' : node.field;
  const isLiteral = node.kind === 'literal' || (node.kind === 'symbol' && node.form === 'literal');
  if (isLiteral) {
    return { kind: 'pattern', field, pattern: printText(node.text), caseSensitive: node.caseSensitive };
  }
  const source = sourceOf(node);
  const { ast, caseSensitive } = parsePattern(source, node.caseSensitive);
  checkRepetitions(ast);
  return { kind: 'pattern', field, pattern: printRegex(ast), caseSensitive };
}

function sourceOf(node: Extract<Query, { kind: 'literal' | 'regex' | 'symbol' }>): string {
  if (node.kind === 'regex') return node.source;
  return node.kind === 'symbol' && node.form === 'whole' ? `^${escapePattern(node.text)}$` : node.text;
}

/** Returns the pattern of the lines that have a text as a whole word. */
function patternOfWord(text: string): Extract<Query, { kind: 'regex' }> {
  const source = `(?:^|\\W)${escapePattern(text)}(?:\\W|$)`;
  return { kind: 'regex', source, caseSensitive: true, field: 'content' };
}

/** Translates a repository name: the index only contains ids, so names are resolved here. */
function repositoriesNamed(
  text: string,
  repositories: readonly NamedRepository[],
  nameOf: (repository: NamedRepository) => string,
): ZoektQuery {
  const wanted = text.toLowerCase();
  const named = repositories.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (named.length === 0) return constant(false);
  if (named.length === repositories.length) return constant(true);
  return { kind: 'repository', pattern: named.map((each) => printText(nameOf(each))).join('|') };
}

function refuse(what: string): InvalidInput {
  const message = `The query ${what}.`;
  return invalidField('q', message, message);
}
