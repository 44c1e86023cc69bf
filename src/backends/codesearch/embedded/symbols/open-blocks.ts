import type { Block } from './compile-rules.ts';

/** Maximum depth of nested blocks. */
const maxBlocks = 32;

/** A block, such as a class or an interface, whose lines are being read. */
export interface OpenBlock {
  readonly block: Block;
  /** Indentation of the line that opened the block. */
  readonly indent: number;
  /** Minimum indentation of the lines inside that were read. */
  members: number;
}

export function openBlock(open: OpenBlock[], block: Block, indent: number): void {
  if (open.length < maxBlocks) open.push({ block, indent, members: Number.POSITIVE_INFINITY });
}

const [hash, closingParenthesis, colon, lowercaseP, openingBrace, closingAngle] = Buffer.from('#):p{>');

/**
 * Closes the blocks that end at a line: those opened by a line with at least its indentation. A brace, parenthesis or
 * end of type parameters that belongs to the opening, a comment or preprocessor line, and a label such as `public:` end
 * no block.
 */
export function closeBlocks(open: OpenBlock[], indent: number, first: number, last: number): void {
  if (first === hash || first === closingParenthesis || first === openingBrace || first === closingAngle)
    return;
  if (first === lowercaseP && last === colon) return;
  for (let inner = innermost(open); inner !== undefined && indent <= inner.indent; inner = innermost(open)) {
    open.pop();
  }
  const inner = innermost(open);
  if (inner !== undefined && indent < inner.members) inner.members = indent;
}

export function innermost(open: readonly OpenBlock[]): OpenBlock | undefined {
  // Called for nearly every line. In V8, reading index -1 takes ten times as long as everything else here.
  return open.length === 0 ? undefined : open[open.length - 1];
}

/** Returns whether a line with this indentation is directly inside the block. */
export function isMember(block: OpenBlock, indent: number): boolean {
  return block.members === indent;
}
