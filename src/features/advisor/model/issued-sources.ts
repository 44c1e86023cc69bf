import type { Citation, Source } from '../answer.ts';

/**
 * The sources that were shown to the model, by the numbers that it knows them by. An answer numbers those that it cites
 * anew, in the order of their first mention.
 */
export class IssuedSources {
  /** By address and text: another text of the same address is another source. */
  readonly #sources = new Map<string, { readonly id: number; readonly source: Source }>();
  readonly #cited = new Set<number>();
  readonly #first: readonly Source[];

  /** `first`: sources that an answer also lists without citing them. */
  constructor(first: readonly Source[] = []) {
    this.#first = first;
    for (const source of first) this.issue(source);
  }

  /** Returns the number of a source, the same each time. */
  issue(source: Source): number {
    const key = JSON.stringify([source.uri, source.url, source.excerpt]);
    const issued = this.#sources.get(key) ?? { id: this.#sources.size + 1, source };
    this.#sources.set(key, issued);
    return issued.id;
  }

  /** Returns the number of a source in the answer, which cites it from now on; `undefined` if it was not issued. */
  cite(id: number): number | undefined {
    if (id < 1 || id > this.#sources.size) return undefined;
    this.#cited.add(id);
    return [...this.#cited].indexOf(id) + 1;
  }

  /** Returns whether a text stands in a source. */
  contain(text: string): boolean {
    return [...this.#sources.values()].some(({ source }) => source.excerpt.includes(text));
  }

  /** Number of sources that the answer cites. */
  get citedCount(): number {
    return this.#cited.size;
  }

  /** Returns the citations of the answer, then those of the first sources that it does not cite. */
  citations(): Citation[] {
    const all = [...this.#sources.values()];
    const ids = new Set([...this.#cited, ...this.#first.map((source) => this.issue(source))]);
    return [...ids].map((id, at) => ({ ...all[id - 1]!.source, n: at + 1 }));
  }
}
