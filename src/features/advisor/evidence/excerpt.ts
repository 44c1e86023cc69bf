import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** Maximum number of characters of a line that are quoted or examined. */
const maxLineLength = 400;

/**
 * Joins lines into one text. Control characters are removed, each line is truncated to 400 characters, and the shared
 * indentation is removed.
 */
export function excerptOf(lines: readonly string[]): string {
  const visible = lines.map((line) => visibleLine(line).trimEnd());
  const indents = visible.filter((line) => line !== '').map((line) => /^[ \t]*/u.exec(line)?.[0].length ?? 0);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return visible.map((line) => shorten(line.slice(shared), maxLineLength)).join('\n');
}
