import type { ModelEvent } from '../port.ts';

type TextEvent = Extract<ModelEvent, { readonly kind: 'text' | 'retract' }>;

/** Maximum number of characters that are held back until it is known whether they are code. */
const maxHeld = 1_000;

const tag = /^<(\/?)think(?:ing)?\s{0,8}>/iu;
const tagOfLine = /^[ \t]*<(\/?)think(?:ing)?\s{0,8}>/iu;
const beginningOfText = /^\s*<think(?:ing)?\s{0,8}>/iu;
const endOfThinking = /<\/think(?:ing)?\s{0,8}>/iu;
const fenceOfLine = /^[ \t]*(`+)[ \t\r]*\n/gmu;
/** The tags. Text that may be the beginning of one is held back, up to the length of the longest tag. */
const beginnings = ['<thinking>', '</thinking>', '<think>', '</think>'] as const;
const maxTag = '</thinking>'.length + 8;

/**
 * Removes the thinking from the text of one turn while it arrives: what stands between `<think>` and `</think>`, as
 * models write it whose server does not separate it. Code is left as it is, except for thinking at the start of its
 * lines: a model may begin to think, or end, while a code block is still open. The template of some models puts
 * `<think>` into the prompt, so that the text before a `</think>` without a beginning is thinking too. If it was passed
 * on already, it is retracted. A turn that may begin with thinking is held back until it is known.
 */
export class ThinkingFilter {
  /** The text that cannot be judged yet. */
  #text = '';
  #isThinking = false;
  /** The code block that is open, by its fence. */
  #fence = '';
  #isLineStart = true;
  /** True while all text may still turn out to be thinking, with any marks of code in it. */
  #isWaiting: boolean;
  /** The text of that time, without the end that may be part of a tag. */
  #waiting = '';
  #hasPassed = false;
  #events: TextEvent[] = [];

  /** `startsInThinking`: the turn may begin with thinking whose beginning is not in the text. */
  constructor(startsInThinking = false) {
    this.#isWaiting = startsInThinking;
  }

  /** Returns what another piece of the text leads to. */
  push(piece: string): readonly TextEvent[] {
    return this.#drain(piece, false);
  }

  /**
   * Returns what the end of the turn leads to. A text that was held back to the end is passed on, also if the provider
   * cut it; before calls of tools it is dropped, because it is no answer.
   */
  end(hasCalls: boolean): readonly TextEvent[] {
    if (this.#isWaiting && hasCalls) return [];
    if (this.#isWaiting) this.#stopWaiting();
    return this.#drain('', true);
  }

  #drain(piece: string, isEnd: boolean): readonly TextEvent[] {
    this.#text += piece;
    while (this.#text !== '' && this.#step(isEnd));
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Judges the next part of the text. Returns false if more of it must arrive first. */
  #step(isEnd: boolean): boolean {
    if (this.#isWaiting) return this.#wait();
    if (this.#isThinking) return this.#thinking();
    if (this.#fence !== '') return this.#blockLine(isEnd);
    const at = this.#text.search(/[`<]/u);
    if (at !== 0) return this.#take(at < 0 ? this.#text.length : at);
    return this.#text.startsWith('`') ? this.#code(isEnd) : this.#tag(isEnd);
  }

  #wait(): boolean {
    const end = endOfThinking.exec(this.#text);
    if (end === null) {
      const judged = Math.max(0, this.#text.length - maxTag);
      this.#waiting += this.#text.slice(0, judged);
      this.#text = this.#text.slice(judged);
      return false;
    }
    const rest = this.#text.slice(end.index + end[0].length);
    this.#stopWaiting();
    // A model that writes the beginning itself did not begin the turn thinking.
    if (!beginningOfText.test(this.#text)) this.#text = rest;
    return true;
  }

  #stopWaiting(): void {
    this.#isWaiting = false;
    this.#text = this.#waiting + this.#text;
    this.#waiting = '';
  }

  #thinking(): boolean {
    const end = endOfThinking.exec(this.#text);
    if (end === null) {
      this.#text = this.#text.slice(-maxTag);
      return false;
    }
    this.#drop(end.index + end[0].length);
    this.#isThinking = false;
    return true;
  }

  #tag(isEnd: boolean): boolean {
    const found = tag.exec(this.#text);
    if (found !== null) {
      this.#drop(found[0].length);
      if (found[1] === '') this.#isThinking = true;
      else this.#endWithoutBeginning();
      return true;
    }
    return !isEnd && this.#text.length < maxTag && mayBeginTag(this.#text) ? false : this.#take(1);
  }

  #endWithoutBeginning(): void {
    if (this.#hasPassed) this.#events.push({ kind: 'retract' });
    this.#hasPassed = false;
  }

  /** Reads marks of code: a code block at the start of a line, else code that ends in the same line. */
  #code(isEnd: boolean): boolean {
    const [run = '`'] = /^`+/u.exec(this.#text) ?? [];
    const isOpen = !isEnd && this.#text.length < maxHeld;
    if (run.length === this.#text.length && isOpen) return false;
    if (run.length >= 3 && this.#isLineStart) {
      this.#fence = run;
      return this.#take(run.length);
    }
    const [line = '', newline] = /^[^\n]{0,1000}(\n)?/u.exec(this.#text) ?? [];
    const end = endOfCode(line, run.length, newline !== undefined || !isOpen);
    if (end !== undefined) return this.#take(end);
    return newline === undefined && isOpen ? false : this.#take(run.length);
  }

  #blockLine(isEnd: boolean): boolean {
    const found = this.#isLineStart ? tagOfLine.exec(this.#text) : null;
    if (found !== null) return this.#tagInBlock(found[0].length, found[1] === '', isEnd);
    const end = this.#text.indexOf('\n');
    if (end < 0 && !isEnd && this.#text.length < maxHeld) return false;
    const length = end < 0 ? this.#text.length : end + 1;
    const line = this.#text.slice(0, length).trim();
    if (/^`+$/u.test(line) && line.length >= this.#fence.length) this.#fence = '';
    return this.#take(length);
  }

  /**
   * Judges a line of a code block that starts with a tag. It is code only if the tag begins thinking and the block ends
   * before the thinking.
   */
  #tagInBlock(length: number, isBeginning: boolean, isEnd: boolean): boolean {
    if (!isBeginning) {
      this.#drop(length);
      this.#fence = '';
      this.#endWithoutBeginning();
      return true;
    }
    const held = this.#text.slice(0, maxHeld);
    const thought = endOfThinking.exec(held)?.index ?? held.length;
    const lines = isEnd && thought === held.length ? `${held}\n` : held.slice(0, thought);
    const code = [...lines.matchAll(fenceOfLine)].find(
      ([, marks = '']) => marks.length >= this.#fence.length,
    );
    if (code !== undefined) return this.#take(code.index);
    if (thought === held.length && held.length < maxHeld && !isEnd) return false;
    this.#drop(length);
    this.#isThinking = true;
    return true;
  }

  /** Passes on the first characters of the text. */
  #take(length: number): boolean {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#isLineStart = /(?:^|\n)[ \t]*$/u.test(taken) && (this.#isLineStart || taken.includes('\n'));
    this.#pass(taken);
    return true;
  }

  #drop(length: number): void {
    this.#text = this.#text.slice(length);
    this.#isLineStart = true;
  }

  #pass(text: string): void {
    if (text === '') return;
    this.#hasPassed ||= /\S/u.test(text);
    const last = this.#events.at(-1);
    if (last?.kind === 'text')
      this.#events[this.#events.length - 1] = { kind: 'text', text: last.text + text };
    else this.#events.push({ kind: 'text', text });
  }
}

/** Returns whether a short text may be the beginning of a tag. */
function mayBeginTag(text: string): boolean {
  const start = text.toLowerCase().trimEnd();
  return beginnings.some((each) => each.startsWith(start));
}

/** Returns where code in a line ends that starts with a run of backticks; the line may go on if it is not whole. */
function endOfCode(line: string, run: number, isWhole: boolean): number | undefined {
  for (const marks of line.slice(run).matchAll(/`+/gu)) {
    const end = run + marks.index + marks[0].length;
    if (marks[0].length === run && (isWhole || end < line.length)) return end;
  }
  return undefined;
}
