import type { Block } from './compile-rules.ts';

/** Blocks inside of blocks that are remembered. */
const MOST_BLOCKS = 32;

/** A class, an interface and the like, whose lines are being read. */
export interface OpenBlock {
  readonly block: Block;
  /** Of the line that opened it. */
  readonly indent: number;
  /** The least indentation seen of the lines inside. */
  members: number;
}

export function openBlock(open: OpenBlock[], block: Block, indent: number): void {
  if (open.length < MOST_BLOCKS) open.push({ block, indent, members: Number.POSITIVE_INFINITY });
}

const [HASH, CLOSING_PARENTHESIS, COLON, P, OPENING_BRACE] = Buffer.from('#):p{');

/**
 * Blocks end with a line that is indented no further than the one that opened them. Not by a brace or parenthesis that
 * belongs to the opening, a comment or preprocessor line, or a label such as `public:`.
 */
export function closeBlocks(open: OpenBlock[], indent: number, first: number, last: number): void {
  if (first === HASH || first === CLOSING_PARENTHESIS || first === OPENING_BRACE) return;
  if (first === P && last === COLON) return;
  for (let inner = innermost(open); inner !== undefined && indent <= inner.indent; inner = innermost(open)) {
    open.pop();
  }
  const inner = innermost(open);
  if (inner !== undefined && indent < inner.members) inner.members = indent;
}

export function innermost(open: readonly OpenBlock[]): OpenBlock | undefined {
  // Asked of nearly every line; to look up -1 takes V8 ten times as long as all the rest.
  return open.length === 0 ? undefined : open[open.length - 1];
}

/** Whether a line lies directly inside. */
export function isMember(block: OpenBlock, indent: number): boolean {
  return block.members === indent;
}
