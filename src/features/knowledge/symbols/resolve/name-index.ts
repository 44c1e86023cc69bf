/**
 * Numbers by name. A name is known by its hash only, because a large repository has a million names, so that whoever
 * uses a number compares the name itself; a wrong count is one in 10^15.
 */
export class NameIndex {
  /** The only number of a name, or several. */
  readonly #numbers = new Map<number, number | number[]>();

  add(name: string, value: number): void {
    const hash = hashOf(name);
    const known = this.#numbers.get(hash);
    if (typeof known === 'object') known.push(value);
    else this.#numbers.set(hash, known === undefined ? value : [known, value]);
  }

  /** Removes one occurrence of a number. */
  remove(name: string, value: number): void {
    const hash = hashOf(name);
    const known = this.#numbers.get(hash);
    if (known === value) this.#numbers.delete(hash);
    if (typeof known !== 'object') return;
    const place = known.lastIndexOf(value);
    if (place >= 0) known.splice(place, 1);
  }

  count(name: string): number {
    return this.get(name).length;
  }

  /** Returns the numbers of a name, each as often as it was added. */
  get(name: string): readonly number[] {
    const known = this.#numbers.get(hashOf(name)) ?? [];
    return typeof known === 'object' ? known : [known];
  }
}

/** Returns a hash of 52 bits that is not 0. */
export function hashOf(text: string): number {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x21f0aaad) ^ Math.imul(low ^ (low >>> 13), 0x735a2d97);
  low = Math.imul(low ^ (low >>> 16), 0x735a2d97) ^ Math.imul(high ^ (high >>> 15), 0x21f0aaad);
  return ((high ^ (high >>> 15)) >>> 12) * 2 ** 32 + ((low ^ (low >>> 15)) >>> 0) || 1;
}
