import {
  languageNames,
  languageOf,
  parsePattern,
  type Query,
  type TextField,
} from '../../../backends/codesearch/port.ts';
import { closestName } from '../../../foundation/kernel/closest-name.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { queryFault } from './query-fault.ts';
import type { TermValue, Token } from './tokenize.ts';

/** What `case:` and `type:` say; they hold for the whole query, wherever they stand. */
export interface Directives {
  readonly case: 'yes' | 'no' | 'auto';
  /** What bare terms name: text of a field, or a symbol. */
  readonly field: TextField | 'symbol';
}

type Term = Extract<Token, { kind: 'term' }>;

/** What a filter makes of its term. */
type MakeLeaf = (token: Term, directives: Directives) => Query;

const branchFilters: readonly string[] = ['branch', 'rev', 'revision', 'b'];

/** Each filter by its names: those that people know from other code searches, with the short forms of Zoekt. */
const filters: ReadonlyMap<string, MakeLeaf> = named([
  [['repo', 'repository', 'r'], repositoryLeaf],
  [['file', 'path', 'f'], (token, directives) => textLeaf(token.value, 'path', directives)],
  [['lang', 'language', 'l'], (token) => ({ kind: 'language', name: languageNamed(token) })],
  [['content', 'c'], (token, directives) => textLeaf(token.value, 'content', directives)],
  [['regex'], ({ value }, directives) => bareLeaf({ ...value, form: 'regex' }, directives)],
  [['sym', 'symbol'], ({ value }, directives) => symbolLeaf(value, directives)],
  [branchFilters, (token) => ({ kind: 'branch', pattern: branchPattern(token) })],
]);

/** Filters that make no leaf: see `Directives`. */
const directiveNames: readonly string[] = ['case', 'type'];
const filterNames: readonly string[] = [...filters.keys(), ...directiveNames];

function named(table: readonly (readonly [readonly string[], MakeLeaf])[]): ReadonlyMap<string, MakeLeaf> {
  return new Map(table.flatMap(([names, make]) => names.map((name) => [name, make])));
}

const byExtension = 'write `file:/\\.ts$/` or `lang:TypeScript`';

/** Filters of other search tools, with what does the same here. */
const foreignFilters: Readonly<Record<string, string>> = {
  ext: byExtension,
  extension: byExtension,
  filename: 'write `file:name`',
  org: 'a search never leaves your organization, so leave it out',
  count: 'use the limit of the search instead',
  patterntype: 'write `/regex/` for a pattern, anything else is literal',
  context: 'name repositories with `repo:`, and ask for lines round a match by the option of the search',
  archived: 'every repository of the organization is searched, so leave it out',
  fork: 'every repository of the organization is searched, so leave it out',
  public: 'every repository of the organization is searched, so leave it out',
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

/** Names of languages that are neither linguist's nor a file extension. */
const languageAliases: Readonly<Record<string, string>> = {
  golang: 'Go',
  csharp: 'C#',
  objc: 'Objective-C',
  'objective-c': 'Objective-C',
  cplusplus: 'C++',
  fsharp: 'F#',
  'protocol-buffers': 'Protocol Buffer',
};

/**
 * Whether `name:` is a filter. A slip or another tool's filter is a fault with the fix; all else is literal text, and so
 * is code in which a space follows (`count: 5`).
 * @param valued false where nothing follows the colon
 */
export function isFilter(name: string, at: number, valued: boolean): boolean {
  if (filterNames.includes(name)) return true;
  const foreign = Object.hasOwn(foreignFilters, name) ? foreignFilters[name] : undefined;
  if (foreign !== undefined && valued) {
    throw queryFault(at, `there is no filter \`${name}:\`; ${foreign}. ${inQuotes}`);
  }
  const meant = foreign !== undefined || name.length < 4 ? undefined : closestName(name, filterNames);
  if (meant === undefined) return false;
  throw queryFault(at, `there is no filter \`${name}:\`; did you mean \`${meant}:\`? ${inQuotes}`);
}

const inQuotes = 'To find that text, write it in quotes.';

/** Whether the filter names branches. */
export function isBranchFilter(name: string | undefined): boolean {
  return name !== undefined && branchFilters.includes(name);
}

/** Whether the token is `case:` or `type:`. */
export function isDirective(token: Token): boolean {
  return token.kind === 'term' && token.filter !== undefined && directiveNames.includes(token.filter);
}

/** Reads the directives among the tokens; each may be given once. */
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
  throw queryFault(second.at, `\`${filter}:\` holds for the whole query and may stand in it once.`);
}

function choose<T>(token: Term, choices: Readonly<Record<string, T>>): T {
  const key = token.value.text.toLowerCase();
  const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
  if (choice !== undefined) return choice;
  throw queryFault(token.at, `\`${token.filter}:\` takes ${Object.keys(choices).join(', ')}.`);
}

/** The leaf of the tree that a term stands for. */
export function leafOf(token: Term, directives: Directives): Query {
  const make = token.filter === undefined ? undefined : filters.get(token.filter);
  const leaf = make?.(token, directives) ?? bareLeaf(token.value, directives);
  if (leaf.kind === 'regex') checkPattern(leaf.source, token.at);
  if (leaf.kind === 'symbol' && leaf.form === 'regex') checkPattern(leaf.text, token.at);
  return leaf;
}

/** Engines refuse a pattern as well, but know no column. */
function checkPattern(source: string, at: number): void {
  try {
    parsePattern(source, true);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw queryFault(at, error.message.replace(/^The /u, 'the '));
  }
}

function repositoryLeaf({ value, at }: Term): Query {
  if (value.form !== 'regex') return { kind: 'repository', text: value.text };
  throw queryFault(at, '`repo:` takes a part of the repository name, not a pattern.');
}

function branchPattern({ filter, value, at }: Term): string {
  if (value.form !== 'regex') return value.text;
  throw queryFault(
    at,
    `\`${filter}:\` takes a branch name, in which \`*\` and \`?\` are wildcards, no pattern.`,
  );
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

/** Smart case: an upper-case letter asks for exact case. In a pattern, the one of `\S`, `\pL` or `(?P<name>` does not. */
function isCaseSensitive(value: TermValue, { case: rule }: Directives): boolean {
  if (value.ignoreCase) return false;
  if (rule !== 'auto') return rule === 'yes';
  const letters = value.form === 'regex' ? value.text.replaceAll(patternSyntax, '') : value.text;
  return /\p{Lu}/u.test(letters);
}

/** Letters of a pattern that stand for no text. */
const patternSyntax =
  /\\(?:[pP](?:\{[^}]*\}|[A-Za-z])|x\{?[\dA-Fa-f]+\}?|.)|\(\?P?<[^>]*>|\(\?[A-Za-z-]+[:)]/gu;

function languageNamed(token: Term): string {
  const given = token.value.text.toLowerCase();
  const exact = languageNames.find((name) => name.toLowerCase() === given);
  const alias = Object.hasOwn(languageAliases, given) ? languageAliases[given] : undefined;
  const extension = languageOf(`x.${given}`);
  const name = exact ?? alias ?? (extension === 'Text' ? undefined : extension);
  if (name !== undefined && token.value.form !== 'regex') return name;
  const meant = closestName(given, languageNames);
  const advice =
    meant === undefined ? 'write a name such as TypeScript, Python or Go' : `did you mean ${meant}?`;
  throw queryFault(token.at, `unknown language \`${token.value.text}\`; ${advice}`);
}
