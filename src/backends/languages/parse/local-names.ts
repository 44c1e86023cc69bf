import type { Block, Blocks } from './blocks.ts';
import type { Enclosing } from './enclosing.ts';

/** The names of the variables and parameters of a file that are no definitions, by where they are known. */
export class LocalNames {
  /** The names that a definition or an anonymous function declares. */
  readonly #known = new Map<Block | number | undefined, Set<string>>();
  /** The names that a definition has, also in an anonymous function. */
  readonly #inside = new Map<number | undefined, Set<string>>();
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
      addTo(this.#inside, symbol, name);
      addTo(this.#known, blocks.inside(offset, symbol)[0] ?? symbol, name);
    }
  }

  /** Returns whether a definition has a variable of a name, also in an anonymous function. */
  isInside(symbol: number | undefined, name: string): boolean {
    return this.#inside.get(symbol)?.has(name) === true;
  }

  /** Returns whether a name means a variable at an offset in a definition. */
  isKnownAt(offset: number, symbol: number | undefined, name: string): boolean {
    return (
      this.isInside(symbol, name) &&
      [...this.#blocks.inside(offset, symbol), symbol].some(
        (place) => this.#known.get(place)?.has(name) === true,
      )
    );
  }
}

function addTo<Place>(names: Map<Place, Set<string>>, place: Place, name: string): void {
  const known = names.get(place);
  if (known === undefined) names.set(place, new Set([name]));
  else known.add(name);
}
