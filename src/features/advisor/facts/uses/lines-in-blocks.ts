/** The mark that closes a block, by the mark that opens it. */
const closers: ReadonlyMap<string, string> = new Map([
  ['/*', '*/'],
  ['"""', '"""'],
  ["'''", "'''"],
]);

/**
 * Returns the lines (1-based) that lie in a block comment or in a docstring. A multi-line string that begins after an
 * `=` or a parenthesis is a value, which counts as well: it is text, too. `/*` inside of a quotation, as in a glob,
 * opens none. Reads each line once, because a line can be as long as a file.
 */
export function linesInBlocks(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  let close: string | undefined;
  for (const [at, line] of lines.entries()) {
    const opens = /\/\*|"""|'''/gu;
    const indent = line.search(/\S/u);
    let from = 0;
    let counted = 0;
    let quotes = 0;
    if (close !== undefined) inside.add(at + 1);
    for (;;) {
      if (close !== undefined) {
        const end = line.indexOf(close, from);
        if (end < 0) break;
        from = end + close.length;
        close = undefined;
      } else {
        opens.lastIndex = from;
        const next = opens.exec(line);
        if (next === null) break;
        quotes += quotesIn(line.slice(counted, next.index));
        counted = next.index;
        const isQuoted = quotes % 2 === 1 || /\S/u.test(line[next.index - 1] ?? ' ');
        if (next[0] === '/*' && isQuoted) break;
        if (next.index <= indent) inside.add(at + 1);
        close = closers.get(next[0]);
        from = next.index + next[0].length;
      }
    }
  }
  return inside;
}

function quotesIn(text: string): number {
  return (text.match(/["'`]/gu) ?? []).length;
}
