const blocks = [
  { open: '/*', close: '*/' },
  { open: '"""', close: '"""' },
  { open: "'''", close: "'''" },
] as const;

/**
 * Returns the lines (1-based) that lie in a block comment or in a docstring. A multi-line string that begins after an
 * `=` or a parenthesis is a value, which counts as well: it is text, too.
 */
export function linesInBlocks(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  let close: string | undefined;
  for (const [at, line] of lines.entries()) {
    let from = 0;
    if (close !== undefined) inside.add(at + 1);
    for (;;) {
      if (close !== undefined) {
        const end = line.indexOf(close, from);
        if (end < 0) break;
        from = end + close.length;
        close = undefined;
      } else {
        const next = nextBlock(line, from);
        if (next === undefined) break;
        if (line.slice(0, next.at).trim() === '') inside.add(at + 1);
        close = next.close;
        from = next.at + next.length;
      }
    }
  }
  return inside;
}

/** Returns the first block that opens on a line; `/*` inside of a quotation, as in a glob, does not. */
function nextBlock(
  line: string,
  from: number,
): { readonly at: number; readonly length: number; readonly close: string } | undefined {
  const found = blocks
    .map(({ open, close }) => ({ at: line.indexOf(open, from), length: open.length, close }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)[0];
  if (found === undefined || found.close !== '*/') return found;
  const quotes = (line.slice(0, found.at).match(/["'`]/gu) ?? []).length;
  return quotes % 2 === 1 || /\S/u.test(line[found.at - 1] ?? ' ') ? undefined : found;
}
