/** Maximum length of the result, in characters. An error message of Git has few lines. */
const maxText = 64 * 1024;
const maxLine = 1_000;

/**
 * Returns the end of a program's output with lines of bounded length: a host determines how much Git prints and how
 * it breaks lines, and searching them must be fast. A line that is too long ends before the word that would be
 * truncated, which may be part of a secret. Carriage returns of a progress line also end a line.
 */
export function legibleTail(output: string): string {
  const lines = output.split(/[\r\n]/);
  let length = 0;
  let from = lines.length;
  while (from > 0) {
    length += Math.min(lines[from - 1]?.length ?? 0, maxLine) + 1;
    if (length > maxText) break;
    from -= 1;
  }
  return lines.slice(from).map(truncated).join('\n');
}

function truncated(line: string): string {
  if (line.length <= maxLine) return line;
  return `${line.slice(0, Math.max(0, line.lastIndexOf(' ', maxLine - 2)))} …`;
}
