import { languageNames, languageOf, type Query, type TextField } from '../../../backends/codesearch/port.ts';
import { closestName } from '../../../foundation/kernel/closest-name.ts';
import { queryFault } from './query-fault.ts';
import type { TermValue, Token } from './tokenize.ts';

/** What `case:` and `type:` say; they hold for the whole query, wherever they stand. */
export interface Directives {
  readonly case: 'yes' | 'no' | 'auto';
  /** Where bare terms look. */
  readonly field: TextField;
}

type Term = Extract<Token, { kind: 'term' }>;

/** What a filter makes of its term. `case:` and `type:` are read beforehand and make no leaf. */
type MakeLeaf = (token: Term, directives: Directives) => Query;

/** Each filter by its names: those that people know from other code searches, with the short forms of Zoekt. */
const filters: ReadonlyMap<string, MakeLeaf> = named([
  [['repo', 'repository', 'r'], repositoryLeaf],
  [['file', 'path', 'f'], (token, directives) => textLeaf(token.value, 'path', directives)],
  [['lang', 'language', 'l'], (token) => ({ kind: 'language', name: languageNamed(token) })],
  [['content', 'c'], (token, directives) => textLeaf(token.value, 'content', directives)],
  [['regex'], ({ value }, directives) => textLeaf({ ...value, form: 'regex' }, directives.field, directives)],
  [['case', 'type', 'sym', 'symbol', 'branch', 'b', 'rev'], notYet],
]);

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
};

const types: Readonly<Record<string, TextField>> = {
  any: 'any',
  file: 'any',
  filematch: 'any',
  content: 'content',
  path: 'path',
  filename: 'path',
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

/** Whether `name:` is a filter. A slip or another tool's filter is a fault with the fix; all else is literal text. */
export function isFilter(name: string, at: number): boolean {
  if (filters.has(name)) return true;
  const foreign = Object.hasOwn(foreignFilters, name) ? foreignFilters[name] : undefined;
  if (foreign !== undefined) throw queryFault(at, `there is no filter \`${name}:\`; ${foreign}.`);
  const meant = name.length < 4 ? undefined : closestName(name, [...filters.keys()]);
  if (meant === undefined) return false;
  throw queryFault(
    at,
    `there is no filter \`${name}:\`; did you mean \`${meant}:\`? To find that text, write it in quotes.`,
  );
}

/** Whether the token is `case:` or `type:`. */
export function isDirective(token: Token): boolean {
  return token.kind === 'term' && (token.filter === 'case' || token.filter === 'type');
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
  return make?.(token, directives) ?? textLeaf(token.value, directives.field, directives);
}

function repositoryLeaf({ value, at }: Term): Query {
  if (value.form !== 'regex') return { kind: 'repository', text: value.text };
  throw queryFault(at, '`repo:` takes a part of the repository name, not a pattern.');
}

function notYet({ filter, at }: Term): never {
  throw queryFault(
    at,
    `\`${filter}:\` is not available yet; leave it out (every name counts, on the indexed branch).`,
  );
}

function textLeaf(value: TermValue, field: TextField, directives: Directives): Query {
  const caseSensitive = !value.ignoreCase && isCaseSensitive(value, directives.case);
  return value.form === 'regex'
    ? { kind: 'regex', source: value.text, caseSensitive, field }
    : { kind: 'literal', text: value.text, caseSensitive, field };
}

/** Smart case: an upper-case letter asks for exact case. In a pattern, `\S` or `\p{Lu}` is no letter. */
function isCaseSensitive(value: TermValue, rule: Directives['case']): boolean {
  if (rule !== 'auto') return rule === 'yes';
  const letters =
    value.form === 'regex'
      ? value.text.replaceAll(/\\(?:[pP]\{[^}]*\}|x\{?[\dA-Fa-f]+\}?|.)/gu, '')
      : value.text;
  return /\p{Lu}/u.test(letters);
}

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
