import type { Blocks } from './blocks.ts';
import type { Enclosing } from './enclosing.ts';

/** The names of the variables and parameters of a file that are no definitions, by where they are known. */
export class LocalNames {
  /** The names that a definition has, also in an anonymous function. */
  readonly #inside = new Set<string>();
  /** The names that a definition or an anonymous function declares. */
  readonly #known = new Set<string>();
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
      const [block] = blocks.inside(offset, symbol);
      this.#inside.add(`${symbol} ${name}`);
      this.#known.add(`${block === undefined ? symbol : `at ${block.start}`} ${name}`);
    }
  }

  /** Returns whether a definition has a variable of a name, also in an anonymous function. */
  isInside(symbol: number | undefined, name: string): boolean {
    return this.#inside.has(`${symbol} ${name}`);
  }

  /** Returns whether a name means a variable at an offset in a definition. */
  isKnownAt(offset: number, symbol: number | undefined, name: string): boolean {
    if (!this.isInside(symbol, name)) return false;
    const blocks = this.#blocks.inside(offset, symbol);
    return (
      this.#known.has(`${symbol} ${name}`) ||
      blocks.some(({ start }) => this.#known.has(`at ${start} ${name}`))
    );
  }
}
