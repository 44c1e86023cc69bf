import type { ModelEvent } from '../../../backends/models/port.ts';
import { AnswerCleaner } from './answer-cleaner.ts';
import type { IssuedSources } from './issued-sources.ts';
import { unusable } from './model-notice.ts';

/**
 * The text of an answer while it is written, cleaned and shown line by line. Text before the first citation is held
 * back: without one it is no answer but an announcement of a call, which is dropped.
 */
export class AnswerText {
  readonly #issued: IssuedSources;
  readonly #onText: (piece: string) => void;
  readonly #maxCharacters: number;
  #cleaner: AnswerCleaner;
  /** The text of the model in this turn, and the length of its texts since it last retracted one. */
  #said = '';
  #received = 0;
  /** The line that is not complete. */
  #line = '';
  #held = '';
  #isShown = false;
  /** The text that was shown. */
  shown = '';
  /** True if a turn began with what the model thought, as the next ones then do. */
  hasRetracted = false;

  constructor(issued: IssuedSources, maxCharacters: number, onText: (piece: string) => void) {
    this.#issued = issued;
    this.#maxCharacters = maxCharacters;
    this.#onText = onText;
    this.#cleaner = new AnswerCleaner(issued);
  }

  /** Adds what the model wrote, or drops it. @throws ModelFailure for too much text, or if people saw its thinking */
  take(event: Extract<ModelEvent, { readonly kind: 'text' | 'retract' }>): void {
    if (event.kind === 'retract') {
      if (this.#isShown) throw unusable('it wrote its thinking as an answer');
      this.hasRetracted = true;
      this.#received -= this.#said.length;
      this.#startTurn();
      return;
    }
    this.#said += event.text;
    this.#received += event.text.length;
    if (this.#received > this.#maxCharacters) throw unusable('it is too long');
    const lines = `${this.#line}${event.text}`.split('\n');
    this.#line = lines.pop()!;
    for (const line of lines) this.#show(`${this.#cleaner.clean(line)}\n`);
  }

  /** Ends a turn and returns its text. @throws ModelFailure if the answer is complete and cites nothing */
  endTurn(hasCalls: boolean): string {
    this.#show(this.#cleaner.clean(this.#line));
    if (!hasCalls && this.#issued.citedCount === 0) throw unusable('it cites no source');
    const said = this.#said;
    this.#startTurn();
    return said;
  }

  #startTurn(): void {
    this.#cleaner = new AnswerCleaner(this.#issued);
    this.#said = '';
    this.#line = '';
    this.#held = this.shown === '' ? '' : '\n\n';
    this.#isShown = false;
  }

  #show(cleaned: string): void {
    this.#held += cleaned;
    if (cleaned === '' || this.#issued.citedCount === 0) return;
    const piece = this.shown === '' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    this.#isShown = true;
    this.shown += piece;
    this.#onText(piece);
  }
}
