/**
 * Text from elsewhere (source code, names, a server's message) made safe to show, on a terminal or in an answer:
 * without control characters, which move a terminal's cursor and recolour it, and without bidirectional overrides,
 * zero-width and tag characters, with which a text reads otherwise than it looks (CVE-2021-42574). Tabs and newlines
 * stay; a carriage return becomes a newline.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/gu, '\n').replaceAll(hidden, '').toWellFormed();
}

/** The same on one line: a name that holds a newline cannot forge a line of its own. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', ' ');
}

const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
