/** Characters. What Git says of a fault is a few lines. */
const maxText = 64 * 1024;
const maxLine = 1_000;

/**
 * The end of what a program printed, in lines of bounded length: a host decides how much Git prints and how it breaks
 * lines, and what is looked for in them must not take long. A line that is too long ends before the word that would be
 * cut, which may be half a secret; returns of a progress line end one too.
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
  return lines.slice(from).map(shortened).join('\n');
}

function shortened(line: string): string {
  if (line.length <= maxLine) return line;
  return `${line.slice(0, Math.max(0, line.lastIndexOf(' ', maxLine - 2)))} …`;
}
