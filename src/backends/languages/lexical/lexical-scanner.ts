import { type Extent, type LexicalRule, slashes } from './lexical-rule.ts';

/** The rules that may apply at a character, by its code. */
export type RuleTable = readonly (readonly LexicalRule[] | undefined)[];

/** Maximum depth of code in strings in code. Deeper code is read as a part of its string. */
const maxFrames = 200;
/** Maximum number of heredocs that begin on one line, and of those in a text that never end. */
const maxHeredocs = 20;
/** Maximum number of groups of a rule whose marks are kept: a raw string may have a word of its own. */
const maxKnownMarks = 50;

/** The texts that end or interrupt a comment or literal. */
interface Marks {
  readonly rule: LexicalRule;
  readonly close: string | undefined;
  /** The text that opens another one inside of it. */
  readonly nests: string | undefined;
  /** Matches the first characters of them. */
  readonly stops: RegExp;
}

/** A comment or literal that is being read. */
interface Literal {
  readonly marks: Marks;
  /** The offset where it ends at the latest. */
  readonly limit: number;
  depth: number;
}

/** Code inside of a string or an element. */
interface Hole {
  readonly literal: Literal | undefined;
  readonly open: string;
  readonly close: string;
  depth: number;
}

/** Elements of JSX, one inside of another. */
interface Elements {
  /** The number of elements whose content is being read. */
  depth: number;
  tag: 'opening' | 'closing' | undefined;
  /** The number of open type arguments in the tag. */
  angles: number;
}

const counterparts: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
/** The value of an attribute of an element. */
const attribute: LexicalRule = { kind: 'string', open: '', close: '$1' };
const inText = /\S/g;
const lineEnds = /[\n\r\u2028\u2029]/g;
const marksInTag = /["'{<>]|\/[*/]/g;
const marksInContent = /[{<]/g;
const beforeOperator = /[\w$)\]"'`\u0080-\uffff]/;
/** Words before a value. */
const valueWords =
  /(?<![\w$.])(?:and|await|case|delete|do|else|elsif|if|in|instanceof|new|not|of|or|return|then|throw|typeof|unless|until|void|when|while|yield)$/;

/** Reads the comments and literals of one text, in linear time. */
export class LexicalScanner {
  readonly #text: string;
  readonly #table: RuleTable;
  readonly #extents: Extent[] = [];
  /** The code and elements around the place that is being read. */
  readonly #frames: (Hole | Elements)[] = [];
  /** The heredocs that begin at the next line, with the words that end them. */
  readonly #heredocs: { readonly rule: LexicalRule; readonly word: string }[] = [];
  #endless = 0;
  /** The last place of each text that ends a comment. */
  readonly #lastClose = new Map<string, number>();
  readonly #found = new Map<RegExp, number>();
  #at = 0;
  /** No literal that a pattern matches as a whole begins before this offset: one was tried in vain on this line. */
  #triedUntil = 0;

  constructor(text: string, table: RuleTable, around: LexicalRule | undefined) {
    this.#text = text;
    this.#table = table;
    if (around !== undefined) this.#readLiteral(literalOf(around, '', text.length), 0);
  }

  /** Reads the comments and literals that begin before an offset, and maybe further ones. */
  read(until: number): readonly Extent[] {
    while (this.#at < Math.min(until, this.#text.length)) {
      const frame = this.#frames.at(-1);
      if (frame !== undefined && 'tag' in frame) this.#readElements(frame);
      else this.#readCode(frame);
    }
    return this.#extents;
  }

  /** Reads code up to the end of the next comment or literal, or of the code. */
  #readCode(hole: Hole | undefined): void {
    const text = this.#text;
    const table = this.#table;
    for (let at = this.#at; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const rules = code < 128 ? table[code] : undefined;
      if (rules === undefined) continue;
      this.#at = at;
      for (const rule of rules) if (this.#open(rule)) return;
      if (code === 10 && this.#heredocs.length > 0 && this.#readHeredoc(at + 1)) return;
      if (hole !== undefined && this.#endsHole(hole, text[at])) return;
    }
    this.#at = text.length;
  }

  /** Reads what begins by a rule at this place; false if nothing does. */
  #open(rule: LexicalRule): boolean {
    const start = this.#at;
    if (rule.value === true && (start < this.#triedUntil || !this.#mayBeginValue(start))) return false;
    const isWhole = rule.close === undefined && rule.oneLine !== true && rule.as === undefined;
    const match = this.#match(rule.open, start);
    if (match === undefined) {
      if (rule.value === true && isWhole) this.#triedUntil = this.#next(lineEnds, start);
      return false;
    }
    const end = start + match[0]!.length;
    if (!this.#mayClose(rule, match[1], end)) return false;
    this.#at = end;
    if (rule.as === 'element') this.#frames.push({ depth: 0, tag: 'opening', angles: 0 });
    else if (rule.as === 'heredoc') {
      const word = match.findLast((group) => group !== undefined)!;
      if (this.#heredocs.length < maxHeredocs) this.#heredocs.push({ rule, word });
    } else if (isWhole) this.#add(rule, start, this.#at);
    else this.#readLiteral(literalOf(rule, match[1] ?? '', this.#text.length), start);
    return true;
  }

  /** Returns whether a comment may end: a mark without an end was misread, as in `src/*`, and would hide the rest. */
  #mayClose(rule: LexicalRule, group: string | undefined, from: number): boolean {
    if (rule.kind !== 'comment' || rule.close === undefined) return true;
    const { close = '' } = literalOf(rule, group ?? '', 0).marks;
    const last = this.#lastClose.get(close) ?? this.#text.lastIndexOf(close);
    this.#lastClose.set(close, last);
    return last >= from;
  }

  #match(open: string | RegExp, at: number): readonly string[] | undefined {
    if (typeof open === 'string') return this.#text.startsWith(open, at) ? [open] : undefined;
    open.lastIndex = at;
    return open.exec(this.#text) ?? undefined;
  }

  /** Reads a comment or literal from this place up to its end, or to code inside of it. */
  #readLiteral(literal: Literal, start: number): void {
    const { rule, stops } = literal.marks;
    const { limit } = literal;
    let from = start;
    for (let at = this.#next(stops, this.#at, limit); at < limit; at = this.#next(stops, this.#at, limit)) {
      const end = this.#afterMark(literal, at);
      if (end === 'hole') return this.#add(rule, from, at);
      if (end === 'name') {
        this.#add(rule, from, at);
        from = this.#at;
      } else if (end === 'end') return this.#add(rule, from, this.#at);
    }
    // Code in a heredoc may have led further than its end.
    this.#at = Math.max(this.#at, limit);
    this.#add(rule, from, limit);
  }

  /** Moves behind what stands at a place in a literal, and returns what it is. */
  #afterMark(literal: Literal, at: number): 'text' | 'end' | 'hole' | 'name' {
    const { rule, close, nests } = literal.marks;
    const text = this.#text;
    if (close !== undefined && text.startsWith(close, at))
      return this.#afterClose(literal, at + close.length);
    this.#at = at + 1;
    if (nests !== undefined && text.startsWith(nests, at)) {
      this.#at = at + nests.length;
      literal.depth++;
    } else if (rule.hole !== undefined && text.startsWith(rule.hole, at)) return this.#openHole(literal, at);
    else if (rule.names !== undefined && text[at] === '$') return this.#afterName(rule.names, at);
    else if (text[at] === rule.escape) this.#at = at + (text.startsWith('\r\n', at + 1) ? 3 : 2);
    else if (rule.oneLine === true && /[\n\r\u2028\u2029]/.test(text[at]!)) {
      this.#at = at;
      return 'end';
    }
    return 'text';
  }

  #afterName(names: RegExp, at: number): 'text' | 'name' {
    const name = this.#match(names, at)?.[0];
    this.#at = at + (name?.length ?? 1);
    return name === undefined ? 'text' : 'name';
  }

  #afterClose(literal: Literal, end: number): 'text' | 'end' {
    const { rule, close = '' } = literal.marks;
    const isDoubled = rule.doubled === true && this.#text.startsWith(close, end);
    this.#at = isDoubled ? end + close.length : end;
    if (!isDoubled) literal.depth--;
    return literal.depth === 0 ? 'end' : 'text';
  }

  /** Begins code inside of a string. A doubled bracket is a part of the string. */
  #openHole(literal: Literal, at: number): 'text' | 'hole' {
    const hole = literal.marks.rule.hole!;
    const open = /[({]/.exec(hole)![0];
    const isText = hole === '{' && this.#text[at + 1] === '{';
    this.#at = at + (isText ? 2 : hole.length);
    if (isText || this.#frames.length >= maxFrames) return 'text';
    this.#frames.push({ literal, open, close: counterparts[open]!, depth: 1 });
    return 'hole';
  }

  #endsHole(hole: Hole, mark: string | undefined): boolean {
    if (mark === hole.open) hole.depth++;
    if (mark !== hole.close || --hole.depth > 0) return false;
    this.#frames.pop();
    this.#at++;
    if (hole.literal !== undefined) this.#readLiteral(hole.literal, this.#at);
    return true;
  }

  /** Reads the first of the heredocs that begin at the line at an offset; false if it never ends. */
  #readHeredoc(start: number): boolean {
    const { rule, word } = this.#heredocs.shift()!;
    const end = this.#endless < maxHeredocs ? this.#endOfHeredoc(word, start) : undefined;
    if (end === undefined) {
      this.#endless++;
      return false;
    }
    this.#at = start;
    this.#readLiteral(literalOf(rule, '', end), start);
    return true;
  }

  /** Returns the offset of the line that ends a heredoc. */
  #endOfHeredoc(word: string, start: number): number | undefined {
    const text = this.#text;
    for (let at = text.indexOf(word, start); at >= 0; at = text.indexOf(word, at + word.length)) {
      let first = at;
      while (first > start && (text[first - 1] === ' ' || text[first - 1] === '\t')) first--;
      const isWord = !/\w/.test(text[at + word.length] ?? '');
      if (isWord && (first === start || text[first - 1] === '\n')) return first;
    }
    return undefined;
  }

  /** Reads tags and content of elements up to code, or to the end of the outermost one. */
  #readElements(frame: Elements): void {
    const text = this.#text;
    const at = this.#next(frame.tag === undefined ? marksInContent : marksInTag, this.#at);
    const mark = text[at];
    if (frame.tag === undefined) this.#add(attribute, this.#next(inText, this.#at), at);
    this.#at = at;
    if (mark === '/' && slashes.some((rule) => this.#open(rule))) return;
    this.#at = at + 1;
    if (mark === '{') {
      if (this.#frames.length < maxFrames)
        this.#frames.push({ literal: undefined, open: '{', close: '}', depth: 1 });
    } else if (frame.tag === undefined) frame.tag = text[at + 1] === '/' ? 'closing' : 'opening';
    else if (mark === '<') frame.angles++;
    else if (mark === '>') this.#endTag(frame, at);
    else if (mark !== undefined) this.#readLiteral(literalOf(attribute, mark, text.length), at);
  }

  #endTag(frame: Elements, at: number): void {
    const before = this.#text[at - 1];
    if (before === '=') return;
    if (frame.angles > 0) {
      frame.angles--;
      return;
    }
    if (frame.tag === 'closing') frame.depth--;
    else if (before !== '/') frame.depth++;
    frame.tag = undefined;
    if (frame.depth <= 0) this.#frames.pop();
  }

  /** Returns whether a value may begin at an offset: what stands before it, without comments, is no value. */
  #mayBeginValue(at: number): boolean {
    const text = this.#text;
    let end = at;
    for (let index = this.#extents.length - 1; ; index--) {
      while (end > 0 && text.charCodeAt(end - 1) <= 32) end--;
      const extent = this.#extents[index];
      if (extent?.end !== end || extent.kind !== 'comment') break;
      end = extent.start;
    }
    const last = text[end - 1] ?? '';
    if (last === '+' || last === '-') return text[end - 2] !== last;
    return !beforeOperator.test(last) || valueWords.test(text.slice(Math.max(0, end - 12), end));
  }

  /** Returns the offset of the next match of a pattern, at most a limit. Places before `from` are never asked again. */
  #next(pattern: RegExp, from: number, limit = this.#text.length): number {
    // A match behind a limit is kept, because many limits may be before it.
    const kept = this.#found.get(pattern);
    if (kept !== undefined && kept >= from) return Math.min(kept, limit);
    pattern.lastIndex = from;
    const found = pattern.exec(this.#text)?.index ?? this.#text.length;
    if (found > limit) this.#found.set(pattern, found);
    return Math.min(found, limit);
  }

  #add({ kind }: LexicalRule, start: number, end: number): void {
    if (kind !== 'code' && start < end) this.#extents.push({ kind, start, end });
  }
}

/** The marks of each rule by the first group of what opens it. */
const knownMarks = new WeakMap<LexicalRule, Map<string, Marks>>();

function literalOf(rule: LexicalRule, group: string, limit: number): Literal {
  const known = knownMarks.get(rule) ?? new Map<string, Marks>();
  if (known.size === 0) knownMarks.set(rule, known);
  const marks = known.get(group) ?? marksOf(rule, group);
  if (known.size < maxKnownMarks) known.set(group, marks);
  return { marks, limit, depth: 1 };
}

function marksOf(rule: LexicalRule, group: string): Marks {
  const bracket = counterparts[group] === undefined ? undefined : group;
  const close = rule.close?.replace('$1', () => counterparts[group] ?? group);
  const nests = bracket ?? rule.nested;
  const lineEnd = rule.oneLine !== true ? '' : close === undefined ? '\n\r\u2028\u2029' : '\n\r';
  const first = [close, nests, rule.hole, rule.escape, rule.names && '$'].map((mark) => mark?.[0] ?? '');
  const all = [...first, lineEnd].join('').replaceAll(/[\\\]^-]/g, '\\$&');
  // A text without marks ends at its limit.
  return { rule, close, nests, stops: all === '' ? /$^/g : new RegExp(`[${all}]`, 'g') };
}
