import { type Enclosing, lastBefore } from './enclosing.ts';

/** An anonymous function, as offsets in the text. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

interface NestedBlock extends Block {
  readonly parent: NestedBlock | undefined;
}

/** The anonymous functions of a file. */
export class Blocks {
  readonly #nested: readonly NestedBlock[];
  readonly #enclosing: Pick<Enclosing, 'at'>;

  constructor(blocks: readonly Block[], enclosing: Pick<Enclosing, 'at'>) {
    const nested: NestedBlock[] = [];
    let around: NestedBlock | undefined;
    for (const { start, end } of blocks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      while (around !== undefined && around.end <= start) around = around.parent;
      around = { start, end, parent: around };
      nested.push(around);
    }
    this.#nested = nested;
    this.#enclosing = enclosing;
  }

  /** Returns those around an offset that are inside of the definition around it, the innermost first. */
  inside(offset: number, symbol: number | undefined): readonly Block[] {
    const inside: Block[] = [];
    for (let block = lastBefore(this.#nested, offset); block !== undefined; block = block.parent) {
      if (block.end <= offset) continue;
      if (this.#enclosing.at(block.start).symbol !== symbol) break;
      inside.push(block);
    }
    return inside;
  }
}
