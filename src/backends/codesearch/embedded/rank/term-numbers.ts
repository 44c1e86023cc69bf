/** The numbers of a question's terms by hash. One look at a small table tells that a term is none of them, as most are. */
export class TermNumbers {
  readonly size: number;
  readonly #numbers: ReadonlyMap<number, number>;
  readonly #beginnings = new Uint8Array(1 << 12);

  constructor(terms: readonly number[]) {
    this.#numbers = new Map(terms.map((term, index) => [term, index]));
    this.size = this.#numbers.size;
    for (const term of terms) this.#beginnings[term & 0xfff] = 1;
  }

  get(term: number): number | undefined {
    return this.#beginnings[term & 0xfff] === 0 ? undefined : this.#numbers.get(term);
  }
}
