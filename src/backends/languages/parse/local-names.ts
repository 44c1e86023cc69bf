import type { Blocks } from './blocks.ts';
import type { Enclosing } from './enclosing.ts';

/** The names of the variables and parameters of a file that are no definitions, by where they are known. */
export class LocalNames {
  /** Each name behind the definition or anonymous function that declares it: `in 3 name`, `at 120 name`. */
  readonly #known = new Set<string>();
  /** Each name behind the definition that has it, also in an anonymous function: `3 name`. */
  readonly #inside = new Set<string>();
  readonly #blocks: Blocks;

  constructor(
    names: readonly { readonly name: string; readonly offset: number }[],
    { symbols, at }: Enclosing,
    blocks: Blocks,
  ) {
    this.#blocks = blocks;
    for (const { name, offset } of names) {
      const { symbol } = at(offset);
      // A variable outside of functions is a definition itself.
      if (symbol !== undefined && symbols[symbol]?.name === name) continue;
      this.#inside.add(`${symbol} ${name}`);
      this.#known.add(`${this.#placesAround(offset, symbol)[0]} ${name}`);
    }
  }

  /** Returns whether a definition has a variable of a name, also in an anonymous function. */
  isInside(symbol: number | undefined, name: string): boolean {
    return this.#inside.has(`${symbol} ${name}`);
  }

  /** Returns whether a name means a variable at an offset in a definition. */
  isKnownAt(offset: number, symbol: number | undefined, name: string): boolean {
    return (
      this.isInside(symbol, name) &&
      this.#placesAround(offset, symbol).some((place) => this.#known.has(`${place} ${name}`))
    );
  }

  /** Returns the anonymous functions around an offset, the innermost first, then the definition. */
  #placesAround(offset: number, symbol: number | undefined): readonly string[] {
    return [...this.#blocks.inside(offset, symbol).map(({ start }) => `at ${start}`), `in ${symbol}`];
  }
}
