import { AnswerCleaner } from './answer-cleaner.ts';
import type { IssuedSources } from './issued-sources.ts';
import { UnusableAnswer } from './model-notice.ts';

const wasThinking = 'The text above is what the language model thought, not its answer. The answer follows.';

/**
 * The text of an answer while it is written, cleaned. Text before the first citation is held back: without one it is no
 * answer but an announcement of a call, which is dropped.
 */
export class AnswerText {
  readonly #issued: IssuedSources;
  readonly #onText: (piece: string) => void;
  readonly #maxCharacters: number;
  #cleaner: AnswerCleaner;
  #received = 0;
  #held = '';
  #shown = '';
  /** The text and the number of cited sources before this turn. */
  #before = { shown: '', citedCount: 0 };
  #hasTold = false;

  constructor(issued: IssuedSources, maxCharacters: number, onText: (piece: string) => void) {
    this.#issued = issued;
    this.#maxCharacters = maxCharacters;
    this.#onText = onText;
    this.#cleaner = new AnswerCleaner(issued);
  }

  /** The text that was shown. */
  get shown(): string {
    return this.#shown;
  }

  /** Adds a piece that the model wrote. @throws UnusableAnswer for too much text */
  add(piece: string): void {
    this.#received += piece.length;
    if (this.#received > this.#maxCharacters)
      throw new UnusableAnswer('model_answer_invalid', 'it is too long');
    this.#show(this.#cleaner.push(piece));
  }

  /**
   * Drops the text of this turn, which was no part of the answer. Those who saw some of it are told so, once.
   * @throws UnusableAnswer the second time
   */
  retract(): void {
    const { shown, citedCount } = this.#before;
    if (this.#shown.length > shown.length) {
      if (this.#hasTold)
        throw new UnusableAnswer('model_answer_invalid', 'it wrote its thinking as an answer');
      this.#hasTold = true;
      this.#onText(`\n\n${wasThinking}\n\n${shown}`);
    }
    this.#shown = shown;
    this.#issued.citeOnly(citedCount);
    this.#received = 0;
    this.#startTurn();
  }

  /** Ends a turn. @throws UnusableAnswer if the answer is complete and cites nothing */
  endTurn(hasCalls: boolean): void {
    this.#show(this.#cleaner.end());
    if (!hasCalls && this.#issued.citedCount === 0) {
      throw this.#received === 0
        ? new UnusableAnswer('model_answer_invalid', 'it is empty')
        : new UnusableAnswer('model_answer_uncited', 'it cites no source');
    }
    this.#startTurn();
  }

  #startTurn(): void {
    this.#cleaner = new AnswerCleaner(this.#issued);
    this.#held = this.#issued.citedCount === 0 ? '' : '\n\n';
    this.#before = { shown: this.#shown, citedCount: this.#issued.citedCount };
  }

  #show(cleaned: string): void {
    if (cleaned === '') return;
    this.#held += cleaned;
    if (this.#issued.citedCount === 0) return;
    const piece = this.#shown === '' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    this.#shown += piece;
    if (piece !== '') this.#onText(piece);
  }
}
