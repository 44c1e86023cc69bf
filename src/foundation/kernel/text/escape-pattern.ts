/** Escapes a text for a regular expression, of JavaScript or RE2, that matches just the text. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
