import {
  languageAliases,
  languageNames,
  languageOf,
  parsePattern,
  type Query,
  type TextField,
} from '../../../backends/codesearch/port.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { closestName } from '../../../foundation/kernel/text/closest-name.ts';
import { patternOfGlob } from './path-glob.ts';
import { queryError } from './query-error.ts';
import type { TermValue, Token } from './tokenize.ts';

/** The values of `case:` and `type:`. They apply to the whole query, at any position. */
export interface Directives {
  readonly case: 'yes' | 'no' | 'auto';
  /** The field that terms without a filter search, or `symbol`. */
  readonly field: TextField | 'symbol';
}

type Term = Extract<Token, { kind: 'term' }>;

/** Converts the term of a filter to a leaf of the query. */
type MakeLeaf = (token: Term, directives: Directives) => Query;

const branchFilters: readonly string[] = ['branch', 'rev', 'revision', 'b'];
const repositoryFilters: readonly string[] = ['repo', 'repository', 'r'];

/** Filters by name. The names are those of other code search tools, with the short forms of Zoekt. */
const filters: ReadonlyMap<string, MakeLeaf> = named([
  [repositoryFilters, repositoryLeaf],
  [['file', 'path', 'f'], pathLeaf],
  [['lang', 'language', 'l'], (token) => ({ kind: 'language', name: languageNamed(token) })],
  [['content', 'c'], (token, directives) => textLeaf(token.value, 'content', directives)],
  [['regex'], ({ value }, directives) => bareLeaf({ ...value, form: 'regex' }, directives)],
  [['sym', 'symbol'], ({ value }, directives) => symbolLeaf(value, directives)],
  [branchFilters, (token) => ({ kind: 'branch', pattern: branchPattern(token) })],
]);

/** Filters that do not create a leaf: see `Directives`. */
const directiveNames: readonly string[] = ['case', 'type'];
const filterNames: readonly string[] = [...filters.keys(), ...directiveNames];

function named(table: readonly (readonly [readonly string[], MakeLeaf])[]): ReadonlyMap<string, MakeLeaf> {
  return new Map(table.flatMap(([names, make]) => names.map((name) => [name, make])));
}

const byExtension = 'write `file:*.ts` or `lang:TypeScript`';

/** Filters of other search tools, with their replacements. */
const foreignFilters: Readonly<Record<string, string>> = {
  ext: byExtension,
  extension: byExtension,
  filename: 'write `file:name`',
  org: 'a search is always limited to your organization, so omit it',
  count: 'use the limit of the search instead',
  patterntype: 'write `/regex/` for a pattern; other terms are literal',
  context: 'select repositories with `repo:`, and request context lines with the option of the search',
  archived: 'every repository of the organization is searched, so omit it',
  fork: 'every repository of the organization is searched, so omit it',
  public: 'every repository of the organization is searched, so omit it',
};

const types: Readonly<Record<string, Directives['field']>> = {
  any: 'any',
  file: 'any',
  filematch: 'any',
  content: 'content',
  path: 'path',
  filename: 'path',
  symbol: 'symbol',
  sym: 'symbol',
};

/**
 * Returns whether `name:` is a filter. Throws for a typing error or a filter of another tool, naming the fix. All
 * other text is literal, including code in which a space follows the colon (`count: 5`).
 * @param valued false if nothing follows the colon
 */
export function isFilter(name: string, at: number, valued: boolean): boolean {
  if (filterNames.includes(name)) return true;
  const foreign = Object.hasOwn(foreignFilters, name) ? foreignFilters[name] : undefined;
  if (foreign !== undefined && valued) {
    throw queryError(at, `there is no filter \`${name}:\`; ${foreign}. ${inQuotes}`);
  }
  const suggestion = foreign !== undefined || name.length < 4 ? undefined : closestName(name, filterNames);
  if (suggestion === undefined) return false;
  throw queryError(at, `there is no filter \`${name}:\`; did you mean \`${suggestion}:\`? ${inQuotes}`);
}

const inQuotes = 'To find that text, write it in quotes.';

/** Returns whether the filter selects branches. */
export function isBranchFilter(name: string | undefined): boolean {
  return name !== undefined && branchFilters.includes(name);
}

/** Returns whether the filter selects repositories. */
export function isRepositoryFilter(name: string | undefined): boolean {
  return name !== undefined && repositoryFilters.includes(name);
}

/** Returns whether the token is `case:` or `type:`. */
export function isDirective(token: Token): boolean {
  return token.kind === 'term' && token.filter !== undefined && directiveNames.includes(token.filter);
}

/** Reads the directives among the tokens. Each may occur once. */
export function readDirectives(tokens: readonly Token[]): Directives {
  const found = tokens.filter((token) => token.kind === 'term');
  const caseToken = single(found, 'case');
  const typeToken = single(found, 'type');
  return {
    case: caseToken === undefined ? 'auto' : choose(caseToken, { yes: 'yes', no: 'no', auto: 'auto' }),
    field: typeToken === undefined ? 'any' : choose(typeToken, types),
  };
}

function single(found: readonly Term[], filter: string): Term | undefined {
  const [first, second] = found.filter((token) => token.filter === filter);
  if (second === undefined) return first;
  throw queryError(second.at, `\`${filter}:\` applies to the whole query and may occur only once.`);
}

function choose<T>(token: Term, choices: Readonly<Record<string, T>>): T {
  const key = token.value.text.toLowerCase();
  const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
  if (choice !== undefined) return choice;
  throw queryError(token.at, `\`${token.filter}:\` takes ${Object.keys(choices).join(', ')}.`);
}

/** Converts a term to a leaf of the query tree. */
export function leafOf(token: Term, directives: Directives): Query {
  const make = token.filter === undefined ? undefined : filters.get(token.filter);
  const leaf = make?.(token, directives) ?? bareLeaf(token.value, directives);
  if (leaf.kind === 'regex') checkPattern(leaf.source, token.at);
  if (leaf.kind === 'symbol' && leaf.form === 'regex') checkPattern(leaf.text, token.at);
  return leaf;
}

/** Checks a pattern. Engines check it as well, but do not know the column. */
function checkPattern(source: string, at: number): void {
  try {
    parsePattern(source, true);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw queryError(at, error.message.replace(/^The /u, 'the '));
  }
}

function repositoryLeaf({ value, at }: Term): Query {
  if (value.form !== 'regex') return { kind: 'repository', text: value.text };
  throw queryError(at, '`repo:` takes a part of the repository name, not a pattern.');
}

function branchPattern({ filter, value, at }: Term): string {
  if (value.form !== 'regex') return value.text;
  throw queryError(
    at,
    `\`${filter}:\` takes a branch name, in which \`*\` and \`?\` are wildcards, not a pattern.`,
  );
}

function pathLeaf({ value, at }: Term, directives: Directives): Query {
  const glob = value.form === 'word' ? patternOfGlob(value.text, at) : undefined;
  if (glob === undefined) return textLeaf(value, 'path', directives);
  return { kind: 'regex', source: glob, caseSensitive: isCaseSensitive(value, directives), field: 'path' };
}

function bareLeaf(value: TermValue, directives: Directives): Query {
  return directives.field === 'symbol'
    ? symbolLeaf(value, directives)
    : textLeaf(value, directives.field, directives);
}

function symbolLeaf(value: TermValue, directives: Directives): Query {
  const form = value.form === 'regex' ? 'regex' : 'literal';
  return { kind: 'symbol', form, text: value.text, caseSensitive: isCaseSensitive(value, directives) };
}

function textLeaf(value: TermValue, field: TextField, directives: Directives): Query {
  const caseSensitive = isCaseSensitive(value, directives);
  return value.form === 'regex'
    ? { kind: 'regex', source: value.text, caseSensitive, field }
    : { kind: 'literal', text: value.text, caseSensitive, field };
}

/**
 * Applies smart case: an upper-case letter makes a term case-sensitive, except in `\S`, `\pL` or `(?P<name>` of a
 * pattern.
 */
function isCaseSensitive(value: TermValue, { case: rule }: Directives): boolean {
  if (value.ignoreCase) return false;
  if (rule !== 'auto') return rule === 'yes';
  const letters = value.form === 'regex' ? value.text.replaceAll(patternSyntax, '') : value.text;
  return /\p{Lu}/u.test(letters);
}

/** Letters in the syntax of a pattern, which match no text themselves. */
const patternSyntax =
  // bounded: at most 1,024 characters (parse-query.ts refuses longer queries)
  /\\(?:[pP](?:\{[^}]*\}|[A-Za-z])|x\{?[\dA-Fa-f]+\}?|.)|\(\?P?<[^>]*>|\(\?[A-Za-z-]+[:)]/gu;

function languageNamed(token: Term): string {
  const given = token.value.text.toLowerCase();
  const exact = languageNames.find((name) => name.toLowerCase() === given);
  const alias = languageAliases.get(given);
  const extension = languageOf(`x.${given}`);
  const name = exact ?? alias ?? (extension === 'Text' ? undefined : extension);
  if (name !== undefined && token.value.form !== 'regex') return name;
  const suggestion = closestName(given, languageNames);
  const advice =
    suggestion === undefined
      ? 'write a name such as TypeScript, Python or Go'
      : `did you mean ${suggestion}?`;
  throw queryError(token.at, `unknown language \`${token.value.text}\`; ${advice}`);
}
