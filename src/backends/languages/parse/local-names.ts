import type { Enclosing, Place, Span } from './enclosing.ts';

/** The names of the variables and parameters of a file that are no definitions, by where they are known. */
export class LocalNames {
  /** The names that a definition or an anonymous function declares. */
  readonly #known = new Map<Span | number | undefined, Set<string>>();
  /** The names that a definition has, also in an anonymous function. */
  readonly #inside = new Map<number | undefined, Set<string>>();

  constructor(
    names: readonly { readonly name: string; readonly offset: number }[],
    { symbols, at }: Enclosing,
  ) {
    for (const { name, offset } of names) {
      const { symbol, blocks } = at(offset);
      // A variable outside of functions is a definition itself.
      if (symbol !== undefined && symbols[symbol]?.name === name) continue;
      addTo(this.#inside, symbol, name);
      addTo(this.#known, blocks[0] ?? symbol, name);
    }
  }

  /** Returns whether a definition has a variable of a name, also in an anonymous function. */
  isInside(symbol: number | undefined, name: string): boolean {
    return this.#inside.get(symbol)?.has(name) === true;
  }

  /** Returns whether a name means a variable at a place. */
  isKnownAt({ symbol, blocks }: Place, name: string): boolean {
    return (
      this.isInside(symbol, name) &&
      [...blocks, symbol].some((around) => this.#known.get(around)?.has(name) === true)
    );
  }
}

function addTo<Key>(names: Map<Key, Set<string>>, place: Key, name: string): void {
  const known = names.get(place);
  if (known === undefined) names.set(place, new Set([name]));
  else known.add(name);
}
