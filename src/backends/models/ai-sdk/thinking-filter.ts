import type { ModelEvent } from '../port.ts';

type TextEvent = Extract<ModelEvent, { readonly kind: 'text' | 'retract' }>;

/** Maximum number of characters that are held back until it is known whether they are code. */
const maxHeld = 1_000;

const tag = /^<(\/?)think(?:ing)?>/iu;
const endOfThinking = /<\/think(?:ing)?>/iu;
/** The longest tag; what may be the beginning of one is held back. */
const longestTag = '</thinking>';
const beginnings = ['<thinking>', longestTag] as const;

/**
 * Removes the thinking from the text of one turn while it arrives: what stands between `<think>` and `</think>`, as
 * models write it whose server does not separate it. Code is left as it is. The template of some models puts `<think>`
 * into the prompt, so that the text before a `</think>` without a beginning is thinking too. If it was passed on
 * already, it is retracted. A turn that may begin with thinking is held back until it is known.
 */
export class ThinkingFilter {
  /** The text that cannot be judged yet. */
  #text = '';
  #isThinking = false;
  /** The code block that is open, by its fence. */
  #fence = '';
  #isLineStart = true;
  /** True while all text may still turn out to be thinking. */
  #isWaiting: boolean;
  /** The text of that time. */
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
    const events = this.#drain('', true);
    if (!this.#isWaiting || hasCalls) return events;
    this.#isWaiting = false;
    this.#pass(this.#waiting);
    return this.#taken();
  }

  #drain(piece: string, isEnd: boolean): readonly TextEvent[] {
    this.#text += piece;
    while (this.#text !== '' && this.#step(isEnd));
    return this.#taken();
  }

  #taken(): readonly TextEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Judges the next part of the text. Returns false if more of it must arrive first. */
  #step(isEnd: boolean): boolean {
    if (this.#isThinking) return this.#thinking();
    if (this.#fence !== '') return this.#blockLine(isEnd);
    const at = this.#text.search(/[`<]/u);
    if (at !== 0) return this.#take(at < 0 ? this.#text.length : at);
    return this.#text.startsWith('`') ? this.#code(isEnd) : this.#tag(isEnd);
  }

  #thinking(): boolean {
    const end = endOfThinking.exec(this.#text);
    if (end === null) {
      this.#text = this.#text.slice(1 - longestTag.length);
      return false;
    }
    this.#drop(end.index + end[0].length);
    this.#isThinking = false;
    return true;
  }

  #tag(isEnd: boolean): boolean {
    const found = tag.exec(this.#text);
    if (found !== null) {
      const [all, slash] = found;
      this.#drop(all.length);
      if (slash === '') this.#open();
      else this.#endWithoutBeginning();
      return true;
    }
    const start = this.#text.slice(0, longestTag.length).toLowerCase();
    if (!isEnd && beginnings.some((each) => each.startsWith(start))) return false;
    return this.#take(1);
  }

  /** Begins thinking. A model that writes this tag itself did not begin the turn thinking. */
  #open(): void {
    this.#isThinking = true;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#pass(this.#waiting);
  }

  #endWithoutBeginning(): void {
    if (this.#hasPassed) this.#events.push({ kind: 'retract' });
    this.#hasPassed = false;
    this.#isWaiting = false;
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
    const end = this.#text.indexOf('\n');
    if (end < 0 && !isEnd && this.#text.length < maxHeld) return false;
    const length = end < 0 ? this.#text.length : end + 1;
    const line = this.#text.slice(0, length).trim();
    if (/^`+$/u.test(line) && line.length >= this.#fence.length) this.#fence = '';
    return this.#take(length);
  }

  /** Passes on the first characters of the text. */
  #take(length: number): boolean {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#isLineStart = /(?:^|\n)[ \t]*$/u.test(taken) && (this.#isLineStart || taken.includes('\n'));
    if (this.#isWaiting) this.#waiting += taken;
    else this.#pass(taken);
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

/** Returns where code in a line ends that starts with a run of backticks; the line may go on if it is not whole. */
function endOfCode(line: string, run: number, isWhole: boolean): number | undefined {
  for (const marks of line.slice(run).matchAll(/`+/gu)) {
    const end = run + marks.index + marks[0].length;
    if (marks[0].length === run && (isWhole || end < line.length)) return end;
  }
  return undefined;
}
