/** Number of keys that an index begins with room for. */
const initialKeys = 1024;
const none = -1;

/**
 * Numbers by name. Kept in typed arrays, because a large repository has a million names: about 30 bytes for each. A
 * name is known by its hash only, so that whoever uses a number compares the name itself; a wrong count is one in
 * 10^15.
 */
export class NameIndex {
  #hashes = new Float64Array(initialKeys);
  #heads = new Int32Array(initialKeys).fill(none);
  #counts = new Uint32Array(initialKeys);
  #keys = 0;
  #values = new Uint32Array(initialKeys);
  #next = new Int32Array(initialKeys);
  #links = 0;
  #free = none;

  add(name: string, value: number): void {
    if (this.#keys * 2 >= this.#hashes.length) this.#growKeys();
    const slot = this.#slotOf(hashOf(name));
    if (this.#hashes[slot] === 0) this.#keys += 1;
    this.#hashes[slot] = hashOf(name);
    const link = this.#newLink();
    this.#values[link] = value;
    this.#next[link] = this.#heads[slot]!;
    this.#heads[slot] = link;
    this.#counts[slot]! += 1;
  }

  /** Removes one occurrence of a number. */
  remove(name: string, value: number): void {
    const slot = this.#slotOf(hashOf(name));
    let before = none;
    for (let link = this.#heads[slot]!; link !== none; link = this.#next[link]!) {
      if (this.#values[link] !== value) {
        before = link;
        continue;
      }
      if (before === none) this.#heads[slot] = this.#next[link]!;
      else this.#next[before] = this.#next[link]!;
      this.#next[link] = this.#free;
      this.#free = link;
      this.#counts[slot]! -= 1;
      return;
    }
  }

  count(name: string): number {
    return this.#counts[this.#slotOf(hashOf(name))]!;
  }

  /** Returns the numbers of a name, each as often as it was added. */
  get(name: string): readonly number[] {
    const found: number[] = [];
    for (let link = this.#heads[this.#slotOf(hashOf(name))]!; link !== none; link = this.#next[link]!)
      found.push(this.#values[link]!);
    return found;
  }

  /** Returns the place of a hash, or the free one where it belongs. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = hash % this.#hashes.length;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #newLink(): number {
    if (this.#free !== none) {
      const link = this.#free;
      this.#free = this.#next[link]!;
      return link;
    }
    if (this.#links === this.#values.length) {
      this.#values = extended(this.#values, new Uint32Array(this.#links * 2));
      this.#next = extended(this.#next, new Int32Array(this.#links * 2));
    }
    this.#links += 1;
    return this.#links - 1;
  }

  #growKeys(): void {
    const [hashes, heads, counts] = [this.#hashes, this.#heads, this.#counts];
    const length = hashes.length * 2;
    this.#hashes = new Float64Array(length);
    this.#heads = new Int32Array(length).fill(none);
    this.#counts = new Uint32Array(length);
    for (const [index, hash] of hashes.entries()) {
      if (hash === 0) continue;
      const slot = this.#slotOf(hash);
      this.#hashes[slot] = hash;
      this.#heads[slot] = heads[index]!;
      this.#counts[slot] = counts[index]!;
    }
  }
}

function extended<Numbers extends Uint32Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
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
