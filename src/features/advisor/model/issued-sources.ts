import type { Citation, Source } from '../answer.ts';

/**
 * The sources that were shown to the model, by the numbers that it knows them by. An answer numbers those that it cites
 * anew, in the order of their first mention.
 */
export class IssuedSources {
  readonly #sources: Source[] = [];
  readonly #known = new Map<string, number>();
  readonly #cited = new Map<number, number>();

  /** Returns the number of a source, the same each time. Another text of the same address is another source. */
  issue(source: Source): number {
    const key = JSON.stringify([source.uri, source.url, source.excerpt]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#sources.push(source);
    const id = this.#sources.length;
    this.#known.set(key, id);
    return id;
  }

  /** Returns the number of a source in the answer, which cites it from now on; `undefined` if it was not issued. */
  cite(id: number): number | undefined {
    if (id < 1 || id > this.#sources.length) return undefined;
    const n = this.#cited.get(id) ?? this.#cited.size + 1;
    this.#cited.set(id, n);
    return n;
  }

  /** Returns the issued number of the first source with an address, if there is one. */
  withAddress(address: string): number | undefined {
    const at = this.#sources.findIndex(({ uri, url }) => uri === address || url === address);
    return at < 0 ? undefined : at + 1;
  }

  /** Returns whether a text stands in a source. */
  contain(text: string): boolean {
    return this.#sources.some(({ excerpt }) => excerpt.includes(text));
  }

  /** Forgets all but the first `count` sources that the answer cites. */
  citeOnly(count: number): void {
    for (const id of [...this.#cited.keys()].slice(count)) this.#cited.delete(id);
  }

  /** Number of sources that the answer cites. */
  get citedCount(): number {
    return this.#cited.size;
  }

  /** Returns the citations of the answer, then the first `others` issued sources that it does not cite. */
  citations(others: number): Citation[] {
    const cited = [...this.#cited].map(([id, n]) => ({ id, n }));
    const rest = Array.from({ length: Math.min(others, this.#sources.length) }, (_, index) => index + 1)
      .filter((id) => !this.#cited.has(id))
      .map((id, index) => ({ id, n: this.#cited.size + index + 1 }));
    return [...cited, ...rest].flatMap(({ id, n }) => {
      const source = this.#sources[id - 1];
      return source === undefined ? [] : [{ n, ...source }];
    });
  }
}
