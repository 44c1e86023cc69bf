import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import { namedClass, namesOfClasses } from './named-classes.ts';

/** A pattern in the syntax of JavaScript with the flag `u`. */
export interface TranslatedPattern {
  readonly source: string;
  readonly caseSensitive: boolean;
  /** The 0-based offset in the pattern as it was written, of an offset in `source`. */
  readonly offsetOf: (at: number) => number;
}

/**
 * Rewrites what RE2 writes otherwise than JavaScript, or JavaScript would read as something else: `\x{66}`, `\pL`,
 * `\p{Greek}`, `[[:alpha:]]`, `[]a]`, `(?P<name>x)`, `(?s)`, `\A`, `\z`, `\Q…\E`, lone braces and brackets, escaped
 * punctuation. Flags and anchors mean what they mean line by line.
 * @throws InvalidInput, with the column in the pattern, for what has another meaning elsewhere or none here.
 */
export function translateRe2(pattern: string, caseSensitive: boolean): TranslatedPattern {
  const flags = /^(?:\(\?[A-Za-z-]+\))+/.exec(pattern)?.[0] ?? '';
  const folds = !caseSensitive || /\(\?[A-Za-z]*i/.test(flags);
  let source = '';
  const offsets: number[] = [];
  for (const { 0: token, index, groups = {} } of pattern.matchAll(TOKEN)) {
    const translated = translateToken(token, groups, { at: index, folds });
    const text = index < flags.length ? '' : translated;
    source += text;
    // A token that stays as it is keeps its columns; of a rewritten one all lead to its start.
    for (let unit = 0; unit < text.length; unit++) offsets.push(index + (text === token ? unit : 0));
  }
  return { source, caseSensitive: !folds, offsetOf: (at) => offsets[at] ?? pattern.length };
}

/** @param at 0-based offset in the pattern, where one place is at fault */
export function patternFault(what: string, at?: number, cause?: unknown): InvalidInput {
  const message = `The pattern ${what}${at === undefined ? '' : ` (column ${at + 1} of the pattern)`}.`;
  return invalidField('q', message, message, { cause });
}

const PROPERTY = String.raw`(?<property>\\[pP](?:\{[^}]*\}|[A-Za-z]))`;
const HEX = String.raw`(?<hex>\\[xu]\{[^}]*\}?)`;
const ESCAPE = String.raw`(?<escape>\\.)`;
const NAMED_CLASS = String.raw`\[:\^?[A-Za-z]*:\]`;

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    PROPERTY,
    HEX,
    ESCAPE,
    // A bracket that comes first is a member, not the end.
    String.raw`(?<open>\[\^?)(?<members>\]?(?:${NAMED_CLASS}|\\.|(?!${NAMED_CLASS})[^\]\\])*)(?<close>\]|$)`,
    String.raw`(?<named>\(\?P?<[\p{L}\p{N}_]+>)`,
    String.raw`\(\?(?<flags>[A-Za-z-]*)(?<end>[:)])`,
    String.raw`(?<count>\{\d*(?:,\d*)?\})`,
    '(?<lone>[\\]{}])',
    '.',
  ].join('|'),
  'gsu',
);

const MEMBER = new RegExp(
  [
    String.raw`\[:(?<not>\^?)(?<name>[A-Za-z]*):\]`,
    PROPERTY,
    HEX,
    ESCAPE,
    String.raw`(?<dash>-(?=\\[dDwWsSpP]|${NAMED_CLASS}))`,
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
  if (groups['quoted'] !== undefined) return groups['quoted'].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (groups['members'] !== undefined) return translateClass(groups, { at, folds });
  if (groups['named'] !== undefined) return '(?:';
  if (groups['flags'] !== undefined) return translateFlags(groups['flags'], groups['end'], { at, folds });
  if (groups['count'] !== undefined) return translateCount(token, at);
  if (groups['lone'] !== undefined) return `\\${token}`;
  return translateEscape(token, groups, at, ESCAPES);
}

/** Lines have no newline for `s` to match, and each is the whole text to `m`. */
function translateFlags(flags: string, end: string | undefined, { at, folds }: Place): string {
  const [on = '', off = ''] = flags.split('-');
  const unknown = /[^ism]/.exec(on + off)?.[0];
  if (unknown !== undefined) throw patternFault(`sets the flag ${unknown}, which is not supported`, at);
  const folding = on.includes('i') ? true : off.includes('i') ? false : folds;
  if (folding !== folds)
    throw patternFault('sets flags inside; put (?i) at its start, or use case:no or case:yes', at);
  return end === ':' ? '(?:' : '(?:)';
}

function translateCount(count: string, at: number): string {
  if (/^\{\d/.test(count)) return count;
  if (!/\d/.test(count)) return `\\${count.slice(0, -1)}\\}`;
  throw patternFault(
    `holds ${count}, which tools read differently; write {0${count.slice(1)} or \\${count}`,
    at,
  );
}

function translateClass({ open = '', members = '', close }: Groups, { at, folds }: Place): string {
  if (close === '') {
    throw patternFault('opens a character class that it never closes; to find the bracket, write \\[', at);
  }
  let translated = '';
  let afterSet = false;
  for (const { 0: token, index, groups = {} } of members.matchAll(MEMBER)) {
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
    throw patternFault('holds && in a class, which means "both" elsewhere; write & once', at);
  }
  // RE2 has no need of `[\]]`, and JavaScript reads `[]` as the empty class.
  if (token === ']') return '\\]';
  if (name === undefined) return translateEscape(token, groups, at, CLASS_ESCAPES);
  const ranges = namedClass(name, { negated: not === '^', folds });
  if (ranges !== undefined) return ranges;
  throw patternFault(`names the unknown class ${token}; there are ${namesOfClasses.join(', ')}`, at);
}

function translateEscape(token: string, groups: Groups, at: number, escapes: Escapes): string {
  if (groups['property'] !== undefined) return translateProperty(token, at);
  if (groups['hex'] !== undefined) return translateHex(token, at);
  if (groups['escape'] === undefined || escapes.kept.test(token)) return token;
  const translated = escapes.rewritten.get(token);
  if (translated !== undefined) return translated;
  if (/^\\[1-9k]$/.test(token)) {
    throw patternFault('uses a backreference, which is not supported; write the text out', at);
  }
  if (/^\\[\0-\x7f]$/.test(token) && !/[A-Za-z0-9<>]/.test(token)) return token.slice(1);
  const remedy = REMEDIES.get(token) ?? 'write the character itself';
  throw patternFault(`holds ${token}, which is not supported; ${remedy}`, at);
}

function translateHex(token: string, at: number): string {
  const digits = /^\\[xu]\{([\dA-Fa-f]{1,8})\}$/.exec(token)?.[1] ?? '';
  if (digits !== '' && Number.parseInt(digits, 16) <= 0x10ffff) return `\\u{${digits}}`;
  throw patternFault(`holds ${token}, which is no character; write its code point in hex, as in \\x{e9}`, at);
}

function translateProperty(token: string, at: number): string {
  const [, sign = '', not = '', name = ''] = /^\\([pP])\{?(\^?)([^}]*)/.exec(token) ?? [];
  const negated = (sign === 'P') !== (not === '^');
  const written = [name, `Script=${name}`].find((property) => isProperty(property));
  if (written !== undefined) return `\\${negated ? 'P' : 'p'}{${written}}`;
  throw patternFault(
    `uses ${token}, which is no category or script; write one such as \\p{Lu} or \\p{Greek}`,
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
  /** Those that both read alike. */
  readonly kept: RegExp;
  readonly rewritten: ReadonlyMap<string, string>;
}

const BELL: readonly [string, string] = ['\\a', '\\x07'];

const ESCAPES: Escapes = {
  kept: /^\\[dDwWsSbBfnrtvcxu0^$\\.*+?()[\]{}|/]$/,
  rewritten: new Map([BELL, ['\\A', '^'], ['\\z', '$']]),
};

const CLASS_ESCAPES: Escapes = {
  kept: /^\\[dDwWsSfnrtvcxu0^$\\.*+?()[\]{}|/-]$/,
  rewritten: new Map([BELL]),
};

/** What other syntaxes have, with what finds the same here. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['\\Z', 'write $'],
  ['\\C', 'write . for a character'],
  ['\\N', 'write . for a character'],
  ['\\h', 'write [\\t ]'],
  ['\\e', 'write \\x1B'],
  ['\\G', 'leave it out'],
  ['\\K', 'leave it out'],
  ['\\R', 'lines are matched one by one'],
  ['\\b', 'write \\x08 for a backspace'],
  ['\\<', 'write \\b for the edge of a word, < for the character'],
  ['\\>', 'write \\b for the edge of a word, > for the character'],
]);
