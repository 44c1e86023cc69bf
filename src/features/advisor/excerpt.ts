import { visibleLine } from '../../foundation/kernel/visible-text.ts';

const longestLine = 400;

/** The lines as one text: made visible, each cut at 400 characters, with the indentation they share taken off. */
export function excerptOf(lines: readonly string[]): string {
  const visible = lines.map((line) => visibleLine(line).trimEnd());
  const indents = visible.filter((line) => line !== '').map((line) => /^[ \t]*/u.exec(line)?.[0].length ?? 0);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return visible.map((line) => cut(line.slice(shared))).join('\n');
}

function cut(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}…`;
}
