import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { escapePattern } from '../../foundation/kernel/text/escape-pattern.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { classNames, namedClass } from './named-classes.ts';

/** A pattern in JavaScript syntax for the flag `u`. */
export interface TranslatedPattern {
  readonly source: string;
  readonly caseSensitive: boolean;
  /** Maps an offset in `source` to the 0-based offset in the original pattern. */
  readonly offsetOf: (at: number) => number;
}

/**
 * Translates RE2 syntax that JavaScript lacks or reads differently: `\x{66}`, `\pL`, `\p{Greek}`, `[[:alpha:]]`,
 * `[]a]`, `(?P<name>x)`, `(?s)`, `\A`, `\z`, `\Q…\E`, unpaired braces and brackets, escaped punctuation. Flags and
 * anchors keep their meaning for a single line.
 * @throws InvalidInput, with the column in the pattern, for syntax with another meaning elsewhere or none here.
 */
export function translateRe2(pattern: string, caseSensitive: boolean): TranslatedPattern {
  const flags = /^(?:\(\?[A-Za-z-]+\))+/.exec(pattern)?.[0] ?? '';
  const folds = !caseSensitive || /\(\?[A-Za-z]*i/.test(flags);
  let source = '';
  const offsets: number[] = [];
  for (const { 0: token, index, groups = {} } of pattern.matchAll(tokenPattern)) {
    const translated = translateToken(token, groups, { at: index, folds });
    const text = index < flags.length ? '' : translated;
    source += text;
    // An unchanged token keeps its columns; every column of a rewritten one maps to its start.
    for (let unit = 0; unit < text.length; unit++) offsets.push(index + (text === token ? unit : 0));
  }
  return { source, caseSensitive: !folds, offsetOf: (at) => offsets[at] ?? pattern.length };
}

/**
 * Creates the error for an unsupported pattern. @param at 0-based offset of the problem in the pattern, if it has one
 */
export function patternError(what: string, at?: number, cause?: unknown): InvalidInput {
  const message = `The pattern ${what}${at === undefined ? '' : ` (column ${at + 1} of the pattern)`}.`;
  return invalidField('q', message, message, { cause });
}

const propertyPattern = String.raw`(?<property>\\[pP](?:\{[^}]*\}|[A-Za-z]))`;
const hexPattern = String.raw`(?<hex>\\[xu]\{[^}]*\}?)`;
const escapeSource = String.raw`(?<escape>\\.)`;
const namedClassPattern = String.raw`\[:\^?[A-Za-z]*:\]`;

// bounded: at most 1,024 characters (parse-pattern.ts refuses longer patterns)
const tokenPattern = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    propertyPattern,
    hexPattern,
    escapeSource,
    // A closing bracket that comes first is a member, not the end.
    String.raw`(?<open>\[\^?)(?<members>\]?(?:${namedClassPattern}|\\.|(?!${namedClassPattern})[^\]\\])*)(?<close>\]|$)`,
    String.raw`(?<named>\(\?P?<[\p{L}\p{N}_]+>)`,
    String.raw`\(\?(?<flags>[A-Za-z-]*)(?<end>[:)])`,
    String.raw`(?<count>\{\d*(?:,\d*)?\})`,
    '(?<lone>[\\]{}])',
    '.',
  ].join('|'),
  'gsu',
);

// bounded: at most 1,024 characters (part of such a pattern)
const memberPattern = new RegExp(
  [
    String.raw`\[:(?<not>\^?)(?<name>[A-Za-z]*):\]`,
    propertyPattern,
    hexPattern,
    escapeSource,
    String.raw`(?<dash>-(?=\\[dDwWsSpP]|${namedClassPattern}))`,
    '(?<both>&&)',
    '.',
  ].join('|'),
  'gsu',
);

type Groups = Readonly<Record<string, string | undefined>>;

interface Place {
  readonly at: number;
  readonly folds: boolean;
}

function translateToken(token: string, groups: Groups, { at, folds }: Place): string {
  if (groups['quoted'] !== undefined) return escapePattern(groups['quoted']);
  if (groups['members'] !== undefined) return translateClass(groups, { at, folds });
  if (groups['named'] !== undefined) return '(?:';
  if (groups['flags'] !== undefined) return translateFlags(groups['flags'], groups['end'], { at, folds });
  if (groups['count'] !== undefined) return translateCount(token, at);
  if (groups['lone'] !== undefined) return `\\${token}`;
  return translateEscape(token, groups, at, escapeTable);
}

/** Drops the flags `s` and `m`: a line has no newline for `s` to match, and is the whole text for `m`. */
function translateFlags(flags: string, end: string | undefined, { at, folds }: Place): string {
  const [on = '', off = ''] = flags.split('-');
  const unknown = /[^ism]/.exec(on + off)?.[0];
  if (unknown !== undefined) throw patternError(`sets the flag ${unknown}, which is not supported`, at);
  const folding = on.includes('i') ? true : off.includes('i') ? false : folds;
  if (folding !== folds)
    throw patternError('sets flags after its start; put (?i) at the start, or use case:no or case:yes', at);
  return end === ':' ? '(?:' : '(?:)';
}

function translateCount(count: string, at: number): string {
  if (/^\{\d/.test(count)) return count;
  if (!/\d/.test(count)) return `\\${count.slice(0, -1)}\\}`;
  throw patternError(
    `contains ${count}, which tools read differently; write {0${count.slice(1)} or \\${count}`,
    at,
  );
}

function translateClass({ open = '', members = '', close }: Groups, { at, folds }: Place): string {
  if (close === '') {
    throw patternError('opens a character class without closing it; to find the bracket, write \\[', at);
  }
  let translated = '';
  let afterSet = false;
  for (const { 0: token, index, groups = {} } of members.matchAll(memberPattern)) {
    const set = /^\\[dDwWsSpP]|^\[:/.test(token);
    const hyphen = groups['dash'] !== undefined || (token === '-' && afterSet);
    translated += hyphen ? '\\-' : translateMember(token, groups, { at: at + open.length + index, folds });
    afterSet = set;
  }
  return `${open}${translated}]`;
}

function translateMember(token: string, groups: Groups, { at, folds }: Place): string {
  const { name, not, both } = groups;
  if (both !== undefined) {
    throw patternError(
      'contains && in a class, which means an intersection in other tools; write & once',
      at,
    );
  }
  // RE2 accepts `[]]` without an escape, but JavaScript reads `[]` as the empty class.
  if (token === ']') return '\\]';
  if (name === undefined) return translateEscape(token, groups, at, classEscapes);
  const ranges = namedClass(name, { negated: not === '^', folds });
  if (ranges !== undefined) return ranges;
  throw patternError(`names the unknown class ${token}; the classes are ${classNames.join(', ')}`, at);
}

function translateEscape(token: string, groups: Groups, at: number, escapes: Escapes): string {
  if (groups['property'] !== undefined) return translateProperty(token, at);
  if (groups['hex'] !== undefined) return translateHex(token, at);
  if (groups['escape'] === undefined || escapes.kept.test(token)) return token;
  const translated = escapes.rewritten.get(token);
  if (translated !== undefined) return translated;
  if (/^\\[1-9k]$/.test(token)) {
    throw patternError('uses a backreference, which is not supported; repeat the text instead', at);
  }
  if (/^\\[\0-\x7f]$/.test(token) && !/[A-Za-z0-9<>]/.test(token)) return token.slice(1);
  const remedy = remedies.get(token) ?? 'write the character itself';
  throw patternError(`contains ${token}, which is not supported; ${remedy}`, at);
}

function translateHex(token: string, at: number): string {
  const digits = /^\\[xu]\{([\dA-Fa-f]{1,8})\}$/.exec(token)?.[1] ?? '';
  if (digits !== '' && Number.parseInt(digits, 16) <= 0x10ffff) return `\\u{${digits}}`;
  throw patternError(
    `contains ${token}, which is not a character; write its code point in hex, as in \\x{e9}`,
    at,
  );
}

function translateProperty(token: string, at: number): string {
  const [, sign = '', not = '', name = ''] = /^\\([pP])\{?(\^?)([^}]*)/.exec(token) ?? [];
  const negated = (sign === 'P') !== (not === '^');
  const written = [name, `Script=${name}`].find((property) => isProperty(property));
  if (written !== undefined) return `\\${negated ? 'P' : 'p'}{${written}}`;
  throw patternError(
    `uses ${token}, which is not a category or script; write one such as \\p{Lu} or \\p{Greek}`,
    at,
  );
}

function isProperty(name: string): boolean {
  if (!/^[\w=]{1,64}$/.test(name)) return false;
  try {
    return new RegExp(`\\p{${name}}`, 'u').unicode;
  } catch {
    return false;
  }
}

interface Escapes {
  /** Escapes with the same meaning in RE2 and JavaScript. */
  readonly kept: RegExp;
  readonly rewritten: ReadonlyMap<string, string>;
}

const bell: readonly [string, string] = ['\\a', '\\x07'];

const escapeTable: Escapes = {
  kept: /^\\[dDwWsSbBfnrtvcxu0^$\\.*+?()[\]{}|/]$/,
  rewritten: new Map([bell, ['\\A', '^'], ['\\z', '$']]),
};

const classEscapes: Escapes = {
  kept: /^\\[dDwWsSfnrtvcxu0^$\\.*+?()[\]{}|/-]$/,
  rewritten: new Map([bell]),
};

/** Escapes of other regular expression syntaxes, with the supported alternative. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['\\Z', 'write $'],
  ['\\C', 'write . for a character'],
  ['\\N', 'write . for a character'],
  ['\\h', 'write [\\t ]'],
  ['\\e', 'write \\x1B'],
  ['\\G', 'remove it'],
  ['\\K', 'remove it'],
  ['\\R', 'lines are matched one by one'],
  ['\\b', 'write \\x08 for a backspace'],
  ['\\<', 'write \\b for the edge of a word, < for the character'],
  ['\\>', 'write \\b for the edge of a word, > for the character'],
]);
