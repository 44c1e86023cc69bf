/** A comment or a part of a literal, with its marks. */
export interface Extent {
  readonly kind: 'comment' | 'string';
  readonly start: number;
  /** The offset after it. */
  readonly end: number;
}

/** The beginning and end of a comment or literal of a language. The rules of a language are tried in order. */
export interface LexicalRule {
  /** `code` for what only looks like a comment or a literal, such as an escaped quote. Nothing is read inside of it. */
  readonly kind: 'comment' | 'string' | 'code';
  /** The text that it begins with, or a sticky pattern of it. */
  readonly open: string | RegExp;
  /** The first characters of what the pattern `open` matches. */
  readonly first?: string;
  /**
   * The text that it ends with. `$1` stands for the first group of `open`; if that is a bracket, for its counterpart.
   * Default: the end of the line if `oneLine`, else the end of what `open` matches.
   */
  readonly close?: string;
  /** The character that makes the next one a part of the text. */
  readonly escape?: string;
  /** True if `close` twice is a part of the text. */
  readonly doubled?: true;
  /** The text that another one inside of it begins with. Default: it has none, or is between two different brackets. */
  readonly nested?: string;
  /** True if it ends at the end of a line at the latest. */
  readonly oneLine?: true;
  /** The text that code begins with inside of a string. The code ends with the counterpart of its bracket. */
  readonly hole?: string;
  /** Matches a name that is code inside of a string. It begins with `$`. */
  readonly names?: RegExp;
  /** True if it begins only where a value may: behind an operator, but not behind a name or a closing bracket. */
  readonly value?: true;
  /**
   * `heredoc`: what `open` matches is code, and its last group the word of the line that ends the string, which begins
   * at the next line. `element`: what begins is an element of JSX. `around`: a text begins inside of it.
   */
  readonly as?: 'heredoc' | 'element' | 'around';
}

type More = Partial<LexicalRule>;

export const line = (open: LexicalRule['open'], more?: More): LexicalRule => ({
  kind: 'comment',
  open,
  oneLine: true,
  ...more,
});

export const block = (open: LexicalRule['open'], close: string, more?: More): LexicalRule => ({
  kind: 'comment',
  open,
  close,
  ...more,
});

/** A string that may have several lines, and has no escapes unless it names them. */
export const raw = (open: LexicalRule['open'], close: string, more?: More): LexicalRule =>
  block(open, close, { kind: 'string', ...more });

/** A string between two equal marks, with backslashes, on one line. */
export const quoted = (quote: string, more?: More): LexicalRule =>
  raw(quote, quote, { escape: '\\', oneLine: true, ...more });

/** A comment or literal that a pattern matches as a whole. */
export const matched = (
  kind: LexicalRule['kind'],
  first: string,
  open: RegExp,
  more?: More,
): LexicalRule => ({ kind, open, first, ...more });

/** A variable in a string. */
export const variableName = /\$[A-Za-z_]\w*/y;

/** A string whose last line is a word that `open` names. */
export const heredoc = (open: RegExp, more?: More): LexicalRule => ({
  kind: 'string',
  open,
  first: '<',
  as: 'heredoc',
  ...more,
});

const escape = { escape: '\\' } as const;

/** A character literal, where an apostrophe has other meanings, too: `'a` of a lifetime, `a'` of a name. */
export const character = matched(
  'string',
  "'",
  /(?<![\w'])'(?:[^'\\\r\n]|\\(?:u\{[\dA-Fa-f_]{1,12}\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|\d{1,3}|.))'/uy,
);
/** A name between two backticks. */
export const backtickName = matched('code', '`', /`[^`\r\n]{1,500}`/y);
/** A character behind a backslash outside of strings. */
export const escaped = matched('code', '\\', /\\[^]/y);

export const slashLine = line('//');
export const slashes = [slashLine, block('/*', '*/')] as const;
export const nestedSlashes = [slashLine, block('/*', '*/', { nested: '/*' })];
export const quotes = [quoted('"'), quoted("'")] as const;
/** Strings that may have several lines. */
export const longQuotes = [raw('"', '"', escape), raw("'", "'", escape)] as const;
export const longDouble = [raw('"', '"', escape)];
export const tripleQuotes = [raw('"""', '"""', escape), raw("'''", "'''", escape)] as const;

/** Comments and strings of C and the languages that look like it. */
export const cLike = [...slashes, ...quotes];
export const hash = [line('#')];
/** A number sign that is no comment inside of a word. */
export const looseHash = [line(/(?<![^\s;()|&`])#/y, { first: '#' })];
export const hashed = [...hash, ...quotes];
export const semicolon = [line(';')];
export const lisp = [
  ...semicolon,
  block('#|', '|#', { nested: '#|' }),
  matched('code', '#\\', /#?\\./y),
  ...longDouble,
];
export const percent = [line('%')];
export const dashes = [line('--')];
/** Strings in which a quotation mark is written twice. */
export const doubledQuotes = [
  raw("'", "'", { doubled: true, oneLine: true }),
  raw('"', '"', { doubled: true, oneLine: true }),
] as const;
export const ml = [block(/\(\*(?!\))/y, '*)', { first: '(', nested: '(*' }), ...longDouble, character];
export const haskell = [
  line(/--+(?![!#$%&*+./<=>?@\\^|~:])/y, { first: '-' }),
  block('{-', '-}', { nested: '{-' }),
  raw('"""', '"""', escape),
  quoted('"'),
  character,
];
/** Comments and strings of style sheets. An address has two slashes, too. */
export const stylesheet = [block('/*', '*/'), line(/(?<!:)\/\//y, { first: '/' }), ...quotes];
/** Comments, the values of attributes, and elements with code of other languages. */
export const markup: readonly LexicalRule[] = [
  block('<!--', '-->'),
  { kind: 'code', first: '<', open: /<(script|style)(?=[\s>])/iy, close: '</$1' },
  raw(/(?<==\s{0,20})(["'])/y, '$1', { first: '"\'' }),
];
/** Comments of templates in another format. */
export const template = (...pairs: readonly (readonly [string, string])[]): readonly LexicalRule[] => [
  ...pairs.map(([open, close]) => block(open, close)),
  ...markup,
];
