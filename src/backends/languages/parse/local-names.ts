import type { Enclosing, Place } from './enclosing.ts';

/** The names of the variables and parameters of a file that are no definitions, by where they are known. */
export class LocalNames {
  /** The names with the definition that has them, also in an anonymous function. */
  readonly #inside = new Set<string>();
  /** The names, each with the beginning of the anonymous function that declares it, else with the definition. */
  readonly #known = new Set<string>();

  constructor(
    names: readonly { readonly name: string; readonly offset: number }[],
    { symbols, at }: Enclosing,
  ) {
    for (const { name, offset } of names) {
      const { symbol, blocks } = at(offset);
      // A variable outside of functions is a definition itself.
      if (symbol !== undefined && symbols[symbol]?.name === name) continue;
      this.#inside.add(`${symbol} ${name}`);
      this.#known.add(blocks[0] === undefined ? `${symbol} ${name}` : `at ${blocks[0].start} ${name}`);
    }
  }

  /** Returns whether a definition has a variable of a name, also in an anonymous function. */
  isInside(symbol: number | undefined, name: string): boolean {
    return this.#inside.has(`${symbol} ${name}`);
  }

  /** Returns whether a name means a variable at a place. */
  isKnownAt({ symbol, blocks }: Place, name: string): boolean {
    return (
      this.#known.has(`${symbol} ${name}`) ||
      blocks.some(({ start }) => this.#known.has(`at ${start} ${name}`))
    );
  }
}
