import { type Enclosing, lastBefore } from './enclosing.ts';

/** An anonymous function, as offsets in the text. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

interface NestedBlock extends Block {
  readonly parent: NestedBlock | undefined;
  /** The definition around its beginning. */
  readonly symbol: number | undefined;
}

/** Maximum number of anonymous functions around a place that are looked at. More are generated. */
const maxAround = 50;

/** The anonymous functions of a file. */
export class Blocks {
  /** The innermost block from an offset on. */
  readonly #parts: { readonly start: number; readonly block: NestedBlock | undefined }[] = [];

  constructor(blocks: readonly Block[], enclosing: Pick<Enclosing, 'at'>) {
    let around: NestedBlock | undefined;
    const closeUntil = (offset: number): void => {
      while (around !== undefined && around.end <= offset) {
        this.#parts.push({ start: around.end, block: around.parent });
        around = around.parent;
      }
    };
    for (const { start, end } of blocks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      closeUntil(start);
      around = { start, end, parent: around, symbol: enclosing.at(start).symbol };
      this.#parts.push({ start, block: around });
    }
    closeUntil(Number.POSITIVE_INFINITY);
  }

  /** Returns those around an offset that are inside of the definition around it, the innermost first. */
  inside(offset: number, symbol: number | undefined): readonly Block[] {
    const inside: Block[] = [];
    for (
      let block = lastBefore(this.#parts, offset)?.block;
      block !== undefined && block.symbol === symbol && inside.length < maxAround;
      block = block.parent
    )
      inside.push(block);
    return inside;
  }
}
