/**
 * Third-party text made safe to show: without control characters, bidirectional overrides, zero-width and tag
 * characters, with which a text can read otherwise than it looks (graph research, section 5). Tabs and newlines stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/gu, '\n').replaceAll(hidden, '').toWellFormed();
}

const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

const longestLine = 400;

/** The lines as one text: made visible, each cut at 400 characters, with the indentation they share taken off. */
export function excerptOf(lines: readonly string[]): string {
  const visible = lines.map((line) => visibleText(line).replaceAll('\n', ' ').trimEnd());
  const indents = visible.filter((line) => line !== '').map((line) => /^[ \t]*/u.exec(line)?.[0].length ?? 0);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return visible.map((line) => cut(line.slice(shared))).join('\n');
}

function cut(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}…`;
}
